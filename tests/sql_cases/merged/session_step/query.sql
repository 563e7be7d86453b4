SELECT session, step, kind, displaced_id, leader_id, reason, cause, owner_id
FROM session_step
ORDER BY session_id, step
