-- The contexts that a non-terminal fills, the most counted first.
--
-- Parameters
--   x  the non-terminal, such as 3 for X3
--
-- One row per context that X fills.
--   context_id, source, target  as in context
--   c                           c(X, t), the count of its rule with this context
--   big_c                       C(X)
--   p                           the proportion c / C, at most 1
--
-- A context and its filler are the right-hand side of just one rule, so nothing is summed up.
CREATE OR REPLACE MACRO contexts_of(x) AS TABLE
SELECT
    context.context_id,
    context.source,
    context.target,
    rule.count AS c,
    nonterminal.count AS big_c,
    least(rule.count / nonterminal.count, 1.0) AS p
FROM slot
JOIN rule ON rule.rule_id = slot.rule_id
JOIN context ON context.context_id = slot.context_id
JOIN nonterminal ON nonterminal.nonterminal_id = slot.nonterminal_id
WHERE slot.nonterminal_id = x
ORDER BY c DESC, context.context_id;
