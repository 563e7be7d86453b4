-- How much can be done again.
--   $id  the session
--
-- One row.
SELECT coalesce(max(entry), 0) AS entries FROM undone_step WHERE session_id = $id
