-- Invariant: every number is finite.
--
-- One row per row with infinity or not-a-number in it.
SELECT format('rule {}: count {}', rule_id, count) AS what
FROM rule
WHERE NOT isfinite(count)
UNION ALL
SELECT format('context {}: energy {}', context_id, energy)
FROM context
WHERE NOT isfinite(energy)
UNION ALL
SELECT format('build: prune_alpha {}', prune_alpha)
FROM build
WHERE NOT isfinite(prune_alpha)
UNION ALL
SELECT format('evidence of step {} of session {}', step, session_id)
FROM evidence
WHERE NOT (isfinite(c1) AND isfinite(big_c1) AND isfinite(c2) AND isfinite(big_c2)
    AND isfinite(d) AND isfinite(bound) AND coalesce(isfinite(p_value), true));
