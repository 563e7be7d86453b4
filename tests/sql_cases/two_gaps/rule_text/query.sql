SELECT * FROM rule_text WHERE lhs_id = 5 ORDER BY rule_id
