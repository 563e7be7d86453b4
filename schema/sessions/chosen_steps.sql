-- Some steps of a session with their evidence, which is NULL where there is none.
--   $id     the session
--   $steps  their numbers, a list
-- Needs: session_step
--
-- One row per step, in order.
SELECT
    session_step.step, displaced_id, leader_id, reason, cause, hash,
    context_id, filler1_id, filler2_id, lhs1_id, lhs2_id,
    c1, big_c1, c2, big_c2, d, bound, p_value, test, depth
FROM session_step
LEFT JOIN evidence
    ON evidence.session_id = session_step.owner_id AND evidence.step = session_step.step
WHERE session_step.session_id = $id AND session_step.step IN (SELECT unnest($steps))
ORDER BY session_step.step
