-- The contexts that two non-terminals both fill, with both counts.
--
-- Parameters
--   a, b  the non-terminals, such as 3 and 6 for X3 and X6
--
-- One row per shared context, by id.
--   context_id, source, target  as in context
--   c1, c2                      the counts of the rules with this context and filler a, b
--
-- A context and its filler are the right-hand side of just one rule, so nothing is summed up. Of
-- the hundreds of thousands of slots that a frequent non-terminal has, few are in shared contexts:
-- so these are found first, and then in one pass the counts of their rules.
CREATE OR REPLACE MACRO shared_contexts(a, b) AS TABLE
WITH shared AS MATERIALIZED (
    SELECT slot1.context_id, slot1.rule_id AS rule1_id, slot2.rule_id AS rule2_id
    FROM slot AS slot1
    JOIN slot AS slot2 ON slot2.context_id = slot1.context_id
    WHERE slot1.nonterminal_id = a AND slot2.nonterminal_id = b
), counted AS MATERIALIZED (
    SELECT rule_id, count
    FROM rule
    WHERE rule_id IN (SELECT rule1_id FROM shared UNION ALL SELECT rule2_id FROM shared)
)
SELECT
    context.context_id, context.source, context.target, rule1.count AS c1, rule2.count AS c2
FROM shared
JOIN counted AS rule1 ON rule1.rule_id = shared.rule1_id
JOIN counted AS rule2 ON rule2.rule_id = shared.rule2_id
JOIN context ON context.context_id = shared.context_id
ORDER BY context.context_id;
