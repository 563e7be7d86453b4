-- The rules of a non-terminal as text, by id.
-- Needs: rule_text
--
-- Parameters
--   x  the non-terminal on the left, such as 3 for X3
--
-- One row per rule with left-hand side X; columns as in rule_text.
CREATE OR REPLACE MACRO rules_of(x) AS TABLE
SELECT rule_id, lhs_id, source, target, count, gaps
FROM rule_text
WHERE lhs_id = x
ORDER BY rule_id;
