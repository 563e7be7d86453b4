-- Step 7, for each depth: compare each pair in every context that either fills; a missing one
-- counts 0.
--   $depth         of the pairs
--   $alpha         the level of the tests
--   $fisher_below  Fisher's test decides where the smaller count is below this
--
-- Adds to pair_comparison.
INSERT INTO pair_comparison
WITH side AS (
    SELECT first_id, second_id, context_id, c AS c1, 0.0::DOUBLE AS c2
    FROM reached_pair
    JOIN class_rule ON class_id = first_id
    WHERE depth = $depth
    UNION ALL
    SELECT first_id, second_id, context_id, 0.0, c
    FROM reached_pair
    JOIN class_rule ON class_id = second_id
    WHERE depth = $depth
), both_sides AS (
    SELECT first_id, second_id, context_id, fsum(c1) AS c1, fsum(c2) AS c2
    FROM side
    GROUP BY ALL
), counted AS (
    SELECT both_sides.*, class1.count AS big_c1, class2.count AS big_c2
    FROM both_sides
    JOIN state_class AS class1 ON class1.class_id = first_id
    JOIN state_class AS class2 ON class2.class_id = second_id
)
SELECT
    $depth, first_id, second_id, context_id, c1, big_c1, c2, big_c2,
    unnest(compare_proportions(c1, big_c1, c2, big_c2, $alpha, fisher_below := $fisher_below))
FROM counted;
