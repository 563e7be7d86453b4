-- Invariant: rule_count is the number of rules of X; after pruning there can be fewer rules.
--
-- One row per non-terminal with another number of rules.
WITH numbers AS (
    SELECT lhs_id, count(*) AS rules
    FROM rule
    GROUP BY lhs_id
)
SELECT format('X{} has {} rules, its rule_count is {}',
    nonterminal.nonterminal_id, coalesce(numbers.rules, 0), nonterminal.rule_count) AS what
FROM nonterminal
LEFT JOIN numbers ON numbers.lhs_id = nonterminal.nonterminal_id
WHERE coalesce(numbers.rules, 0) > nonterminal.rule_count
    OR coalesce(numbers.rules, 0) < nonterminal.rule_count
        AND (SELECT any_value(prune_alpha) FROM build) IS NULL
ORDER BY nonterminal.nonterminal_id;
