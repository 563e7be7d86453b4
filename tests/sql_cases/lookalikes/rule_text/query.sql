SELECT source, target, gaps FROM rule_text ORDER BY rule_id
