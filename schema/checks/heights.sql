-- Invariant: the height of a non-terminal is 0 if it has no rule with a gap, else 1 + the greatest
-- height of its fillers; after pruning it can be more than the rules left show. Labels of an
-- imported grammar can be recursive, so they have no such height.
--
-- One row per non-terminal with another height.
WITH shown AS (
    SELECT rule.lhs_id, 1 + max(nonterminal.height) AS height
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id
    JOIN nonterminal ON nonterminal.nonterminal_id = slot.nonterminal_id
    GROUP BY rule.lhs_id
)
SELECT format('X{} has height {}, its rules show {}', nonterminal.nonterminal_id,
    nonterminal.height, coalesce(shown.height, 0)) AS what
FROM nonterminal
LEFT JOIN shown ON shown.lhs_id = nonterminal.nonterminal_id
WHERE (SELECT any_value(options ->> 'imported') FROM build) IS NULL
    AND (nonterminal.height < coalesce(shown.height, 0)
        OR nonterminal.height > coalesce(shown.height, 0)
            AND (SELECT any_value(prune_alpha) FROM build) IS NULL)
ORDER BY nonterminal.nonterminal_id;
