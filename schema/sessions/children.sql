-- The branches of a session.
--   $id  the session
--
-- One row per branch, the one with the furthest fork first.
SELECT session_id, forked_at FROM session WHERE parent_id = $id
ORDER BY forked_at DESC, session_id
