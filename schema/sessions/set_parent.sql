-- Make a session a branch of another; NULL for both makes it a session of its own.
--   $id               the session
--   $parent, $fork    its parent and the last step that they share
UPDATE session SET parent_id = $parent, forked_at = $fork WHERE session_id = $id
