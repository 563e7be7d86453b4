-- A session by its name.
--   $session_name
--
-- One row, or none.
SELECT * FROM session WHERE name = $session_name
