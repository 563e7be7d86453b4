-- Invariant: a session has each step once, from the one after its fork, or from 1, to its last one;
-- and no step has more than one row of evidence.
--
-- One row per session with other steps, and per step with more evidence.
WITH own AS (
    SELECT session_id, step FROM merge
    UNION ALL
    SELECT session_id, step FROM promotion
), found AS (
    SELECT
        session_id,
        count(*) AS steps,
        count(DISTINCT step) AS numbers,
        min(step) AS first,
        max(step) AS last
    FROM own
    GROUP BY session_id
)
SELECT format('session {} should have steps {} to {}, and has {} rows of {} steps from {} to {}',
    session.session_id, coalesce(session.forked_at, 0) + 1, session.last_step,
    coalesce(found.steps, 0), coalesce(found.numbers, 0), found.first, found.last) AS what
FROM session
LEFT JOIN found ON found.session_id = session.session_id
WHERE coalesce(found.steps, 0) <> session.last_step - coalesce(session.forked_at, 0)
    OR found.numbers <> found.steps
    OR found.first <> coalesce(session.forked_at, 0) + 1
    OR found.last <> session.last_step
UNION ALL
SELECT format('step {} of session {} has {} rows of evidence', step, session_id, count(*))
FROM evidence
GROUP BY session_id, step
HAVING count(*) > 1;
