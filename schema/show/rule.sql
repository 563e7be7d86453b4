-- One rule with its text, and what is to be said of its left-hand side.
--   $id  the rule
--
-- One row; columns as in rule_text, then the text, C(X) and number of rules of the left-hand side.
SELECT
    rule_text.*,
    x.source AS lhs_source,
    x.target AS lhs_target,
    x.count AS lhs_count,
    x.rule_count AS lhs_rule_count
FROM rule_text
JOIN nonterminal AS x ON x.nonterminal_id = lhs_id
WHERE rule_id = $id
