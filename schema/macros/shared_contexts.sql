-- The contexts that two non-terminals both fill, with both counts.
--
-- Parameters
--   a, b  the non-terminals, such as 3 and 6 for X3 and X6
--
-- One row per shared context, by id.
--   context_id, source, target  as in context
--   c1, c2                      the summed counts of the rules with this context and filler a, b
CREATE OR REPLACE MACRO shared_contexts(a, b) AS TABLE
WITH filled AS (
    SELECT slot.context_id, slot.nonterminal_id, sum(rule.count) AS c
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id
    WHERE slot.nonterminal_id IN (a, b)
    GROUP BY ALL
)
SELECT context.context_id, context.source, context.target, first.c AS c1, second.c AS c2
FROM filled AS first
JOIN filled AS second ON second.context_id = first.context_id
JOIN context ON context.context_id = first.context_id
WHERE first.nonterminal_id = a AND second.nonterminal_id = b
ORDER BY context.context_id;
