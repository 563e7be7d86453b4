-- Step 11: how a pair was reached from the top pair. Where several shared contexts lead from one
-- pair to the next, the first by text is shown.
--   $first_id, $second_id  the pair
--
-- One row per step down from the top pair.
--   first_id, second_id            a pair
--   context_id, source, target     a context that both fill
--   next_first_id, next_second_id  left-hand sides of their rules with it
WITH RECURSIVE climbed AS (
    SELECT * FROM reached_pair WHERE first_id = $first_id AND second_id = $second_id
    UNION ALL
    SELECT parent.*
    FROM climbed
    JOIN reached_pair AS parent
        ON parent.first_id = climbed.parent_first_id
        AND parent.second_id = climbed.parent_second_id
)
SELECT
    climbed.parent_first_id AS first_id,
    climbed.parent_second_id AS second_id,
    state_text.context_id,
    state_text.source,
    state_text.target,
    climbed.first_id AS next_first_id,
    climbed.second_id AS next_second_id
FROM climbed
JOIN class_rule AS rule1 ON rule1.class_id = climbed.parent_first_id
JOIN class_rule AS rule2
    ON rule2.class_id = climbed.parent_second_id AND rule2.context_id = rule1.context_id
JOIN state_text ON state_text.context_id = rule1.context_id
WHERE least(rule1.lhs_class_id, rule2.lhs_class_id) = climbed.first_id
    AND greatest(rule1.lhs_class_id, rule2.lhs_class_id) = climbed.second_id
QUALIFY row_number() OVER (PARTITION BY climbed.depth ORDER BY source, target) = 1
ORDER BY climbed.depth;
