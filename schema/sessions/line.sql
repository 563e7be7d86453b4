-- What the classes of a session are made from.
--   $id  the session
-- Needs: session_step
--
-- One row per step that the session sees, in order.
SELECT step, displaced_id, leader_id, cause, hash
FROM session_step
WHERE session_id = $id
ORDER BY step
