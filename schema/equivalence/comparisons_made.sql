-- Step 12: all comparisons, with texts.
--
-- One row per pair of classes and context that either fills, by depth, pair and text.
--   depth                   steps from the top pair
--   first_id, second_id     the classes
--   context_id              the least id of the contexts that read so in this state
--   source, target          how they read
--   c1, big_c1, c2, big_c2  c(A, t) and C(A) of the first class, then of the second
--   p1, p2                  the proportions c / C, at most 1
--   d, bound, test, p_value, equal  the outcome: see the macro compare_proportions
SELECT
    depth, first_id, second_id, state_text.context_id, source, target,
    c1, big_c1, c2, big_c2,
    least(c1 / big_c1, 1.0) AS p1,
    least(c2 / big_c2, 1.0) AS p2,
    d, bound, test, p_value, equal
FROM pair_comparison
JOIN state_text ON state_text.context_id = pair_comparison.context_id
ORDER BY depth, first_id, second_id, source, target;
