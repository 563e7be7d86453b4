-- A session by its id.
--   $id
--
-- One row, or none.
SELECT * FROM session WHERE session_id = $id
