-- Invariant: a rule has as many slots as gaps, at the positions from 1 to gaps.
--
-- One row per rule with other slots.
WITH slots AS (
    SELECT
        rule_id,
        count(*) AS number,
        max(position) AS last,
        -- how many different positions: a bit for each (there are never 63)
        bit_count(bit_or(1::UBIGINT << least(position, 63))) AS positions
    FROM slot
    GROUP BY rule_id
)
SELECT format('rule {} has {} gaps and {} slots, at {} positions up to {}', rule.rule_id, rule.gaps,
    coalesce(slots.number, 0), coalesce(slots.positions, 0), coalesce(slots.last, 0)) AS what
FROM rule
LEFT JOIN slots ON slots.rule_id = rule.rule_id
WHERE coalesce(slots.number, 0) <> rule.gaps
    OR coalesce(slots.last, 0) <> rule.gaps
    OR coalesce(slots.positions, 0) <> rule.gaps
ORDER BY rule.rule_id;
