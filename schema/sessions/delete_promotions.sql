-- Remove the last rows of a session from promotion.
--   $id    the session
--   $step  keep the rows up to this step
DELETE FROM promotion WHERE session_id = $id AND step > $step
