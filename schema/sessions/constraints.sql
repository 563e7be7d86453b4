-- The constraints of a session.
--   $id  the session
--
-- One row per constraint.
SELECT kind, first_id, second_id FROM session_constraint WHERE session_id = $id ORDER BY ALL
