-- The contexts that a non-terminal fills, the most counted first.
--
-- Parameters
--   x  the non-terminal, such as 3 for X3
--
-- One row per context that X fills.
--   context_id, source, target  as in context
--   c                           c(X, t), the summed counts of its rules with this context
--   big_c                       C(X)
--   p                           the proportion c / C, at most 1
CREATE OR REPLACE MACRO contexts_of(x) AS TABLE
WITH filled AS (
    SELECT slot.context_id, sum(rule.count) AS c
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id
    WHERE slot.nonterminal_id = x
    GROUP BY slot.context_id
)
SELECT
    context.context_id,
    context.source,
    context.target,
    filled.c,
    nonterminal.count AS big_c,
    least(filled.c / nonterminal.count, 1.0) AS p
FROM filled
JOIN context ON context.context_id = filled.context_id
JOIN nonterminal ON nonterminal.nonterminal_id = x
ORDER BY filled.c DESC, context.context_id;
