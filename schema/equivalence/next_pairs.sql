-- Step 8, for each depth: the pairs that the pairs of this depth lead to, those of the left-hand
-- sides of their rules in every context that both fill.
--   $depth  of the pairs to go on from
--
-- Adds to reached_pair what was not reached before.
INSERT INTO reached_pair
WITH lhs_pair AS (
    SELECT DISTINCT
        least(rule1.lhs_class_id, rule2.lhs_class_id) AS low_id,
        greatest(rule1.lhs_class_id, rule2.lhs_class_id) AS high_id,
        pair.first_id,
        pair.second_id
    FROM reached_pair AS pair
    JOIN class_rule AS rule1 ON rule1.class_id = pair.first_id
    JOIN class_rule AS rule2
        ON rule2.class_id = pair.second_id AND rule2.context_id = rule1.context_id
    WHERE pair.depth = $depth AND rule1.lhs_class_id <> rule2.lhs_class_id
)
SELECT
    low_id,
    high_id,
    $depth + 1,
    min((first_id, second_id))[1],
    min((first_id, second_id))[2]
FROM lhs_pair
WHERE (low_id, high_id) NOT IN (
    SELECT (least(first_id, second_id), greatest(first_id, second_id)) FROM reached_pair
)
GROUP BY low_id, high_id;
