-- Step 9: the verdict.
--
-- One row.
--   equivalent     whether no comparison failed
--   dissimilarity  the greatest d; 0 where there was nothing to compare
SELECT
    coalesce(bool_and(equal), true) AS equivalent,
    coalesce(max(d), 0.0) AS dissimilarity
FROM pair_comparison;
