-- The fillers of a rule.
--   $id  the rule
--
-- One row per gap, in source order.
SELECT slot.nonterminal_id, nonterminal.source, nonterminal.target
FROM slot
JOIN nonterminal ON nonterminal.nonterminal_id = slot.nonterminal_id
WHERE slot.rule_id = $id
ORDER BY slot.position
