-- Note where a session ends. A branch that ends before its fork forks there.
--   $id            the session
--   $step, $hash   its last step and that step's hash
UPDATE session
SET
    last_step = $step,
    last_hash = $hash,
    forked_at = CASE WHEN forked_at > $step THEN $step ELSE forked_at END
WHERE session_id = $id
