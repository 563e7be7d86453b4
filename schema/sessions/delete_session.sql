-- Remove the row of a session.
--   $id
DELETE FROM session WHERE session_id = $id
