-- Step 6, for each depth: look up the rules of the classes that are met for the first time.
--   $depth  of the pairs they are met in
--
-- Adds to class_rule.
INSERT INTO class_rule
WITH met AS (
    SELECT first_id AS class_id, depth FROM reached_pair
    UNION ALL
    SELECT second_id, depth FROM reached_pair
), new_member AS (
    SELECT nonterminal_id, leader_id
    FROM state_member
    WHERE leader_id IN (SELECT class_id FROM met GROUP BY class_id HAVING min(depth) = $depth)
)
SELECT
    new_member.leader_id,
    coalesce(state_context.state_context_id, slot.context_id),
    lhs.leader_id,
    fsum(rule.count)
FROM slot
JOIN new_member ON new_member.nonterminal_id = slot.nonterminal_id
JOIN rule ON rule.rule_id = slot.rule_id
JOIN state_member AS lhs ON lhs.nonterminal_id = rule.lhs_id
LEFT JOIN state_context ON state_context.context_id = slot.context_id
GROUP BY ALL;
