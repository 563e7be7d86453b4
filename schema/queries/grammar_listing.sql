-- Rules with their text, as the paper prints them, and what their counts are fractions of.
--   $low, $high  the range of left-hand sides;  $rows  the most rows
--
-- One row per rule, by rule.
SELECT rule_text.*, x.count AS lhs_count, x.rule_count AS lhs_rule_count
FROM rule_text
JOIN nonterminal AS x ON x.nonterminal_id = lhs_id
WHERE lhs_id BETWEEN $low AND $high
ORDER BY rule_id
LIMIT $rows
