-- Remove the last rows of a session from merge.
--   $id    the session
--   $step  keep the rows up to this step
DELETE FROM merge WHERE session_id = $id AND step > $step
