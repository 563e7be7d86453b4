-- The grammar as the plain definition of equivalence wants it.
--
-- One row per slot, by rule and position, with the left-hand side and count of its rule and the text
-- of its context. Lexical rules have none.
SELECT slot.rule_id, rule.lhs_id, rule.count, slot.nonterminal_id, context.source, context.target
FROM slot
JOIN rule ON rule.rule_id = slot.rule_id
JOIN context ON context.context_id = slot.context_id
ORDER BY slot.rule_id, slot.position;
