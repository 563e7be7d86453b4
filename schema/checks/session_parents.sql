-- Invariant: a branch forks from a step that its parent has and does not end before its fork, and
-- no session is its own parent, directly or not.
--
-- One row per session where that is not so.
WITH RECURSIVE above AS (
    SELECT session_id, parent_id FROM session WHERE parent_id IS NOT NULL
    UNION
    SELECT above.session_id, session.parent_id
    FROM above
    JOIN session ON session.session_id = above.parent_id
    WHERE session.parent_id IS NOT NULL
)
SELECT format('session {} is its own parent', session_id) AS what
FROM above
WHERE session_id = parent_id
UNION ALL
SELECT format('session {} forks from session {} at step {} of {}',
    session.session_id, parent.session_id, session.forked_at, parent.last_step)
FROM session
JOIN session AS parent ON parent.session_id = session.parent_id
WHERE session.forked_at > parent.last_step
UNION ALL
SELECT format('session {} ends at step {}, before its fork at {}', session_id, last_step, forked_at)
FROM session
WHERE forked_at > last_step;
