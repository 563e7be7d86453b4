-- Invariant: where counts are spread by type, every rule of X has the count C(X) / rule_count.
--
-- One row per rule with another count.
SELECT format('rule {} of X{} has count {}, its share is {} / {}',
    rule.rule_id, rule.lhs_id, rule.count, nonterminal.count, nonterminal.rule_count) AS what
FROM rule
JOIN nonterminal ON nonterminal.nonterminal_id = rule.lhs_id
WHERE (SELECT any_value(options ->> 'counting') FROM build) = 'type'
    AND nonterminal.rule_count > 0
    AND abs(rule.count * nonterminal.rule_count - nonterminal.count) > 1e-9 * nonterminal.count
ORDER BY rule.rule_id;
