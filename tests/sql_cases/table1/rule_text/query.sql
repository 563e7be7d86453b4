SELECT * FROM rule_text ORDER BY rule_id
