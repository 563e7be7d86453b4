-- Change what is said about a session.
--   $id
--   $session_name, $description, $status
UPDATE session SET name = $session_name, description = $description, status = $status
WHERE session_id = $id
