-- Remove the last rows of a session from evidence.
--   $id    the session
--   $step  keep the rows up to this step
DELETE FROM evidence WHERE session_id = $id AND step > $step
