-- Invariant: the energy of a context is the sum of c(r)^2 / C(filler) over its slots.
--
-- One row per context with another energy.
WITH sums AS (
    SELECT slot.context_id, sum(rule.count * rule.count / nonterminal.count) AS energy
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id
    JOIN nonterminal ON nonterminal.nonterminal_id = slot.nonterminal_id
    GROUP BY slot.context_id
)
SELECT format('context {} has energy {}, its slots make {}',
    context.context_id, context.energy, sums.energy) AS what
FROM context
JOIN sums ON sums.context_id = context.context_id
WHERE NOT abs(context.energy - sums.energy) <= 1e-9 * sums.energy
ORDER BY context.context_id;
