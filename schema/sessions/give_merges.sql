-- Hand rows of merge over to another session.
--   $id           the session that has them
--   $heir         the session that gets them
--   $low, $high   the steps after the one, up to the other
UPDATE merge SET session_id = $heir
WHERE session_id = $id AND step > $low AND step <= $high
