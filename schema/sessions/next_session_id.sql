-- The id for a new session.
--
-- One row.
SELECT coalesce(max(session_id), 0) + 1 AS session_id FROM session
