-- Step 10: the comparison that best explains the verdict. If some fail: of those nearest to the top
-- the one of greatest dissimilarity. If none does: the one of greatest dissimilarity, and of
-- equals the nearest to the top. What is then still equal is ranked by ids of the pair, then by text.
-- Dissimilarities are ranked in steps of 2^-30, since the last digits of a sum depend on its order.
--
-- One row, or none where there was nothing to compare. Columns as in pair_comparison, with the text
-- of the context.
WITH candidate AS (
    SELECT
        *,
        (
            CASE WHEN equal THEN 0 ELSE depth END,
            -round_even(d * 1073741824, 0),
            depth,
            first_id,
            second_id
        ) AS place
    FROM pair_comparison
    WHERE NOT equal OR (SELECT bool_and(equal) FROM pair_comparison)
)
SELECT
    depth, first_id, second_id, state_text.context_id, source, target,
    c1, big_c1, c2, big_c2, d, bound, test, p_value, equal
FROM candidate
JOIN state_text ON state_text.context_id = candidate.context_id
WHERE place = (SELECT min(place) FROM candidate)
ORDER BY source, target
LIMIT 1;
