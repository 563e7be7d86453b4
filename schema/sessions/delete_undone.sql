-- Forget what can be done again.
--   $id     the session
--   $entry  keep the entries up to this one
DELETE FROM undone_step WHERE session_id = $id AND entry > $entry
