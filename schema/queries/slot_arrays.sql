-- All slots with the left-hand side and the count of their rule: what the kernels of the
-- equivalence tests work on.
--
-- One row per slot, by rule and position.
SELECT slot.rule_id, slot.context_id, slot.nonterminal_id, rule.lhs_id, rule.count
FROM slot
JOIN rule ON rule.rule_id = slot.rule_id
ORDER BY slot.rule_id, slot.position
