-- Keep the last steps of a session, to be done again.
--   $id         the session
--   $step       all steps after this one
--   $one_by_one whether each is an entry of its own, the last one first; otherwise all are one
--   $rewritten  how many steps will take their place
-- Needs: session_step
INSERT INTO undone_step BY NAME
SELECT
    session_step.session_id,
    coalesce((SELECT max(entry) FROM undone_step WHERE session_id = $id), 0)
        + CASE
            WHEN $one_by_one THEN row_number() OVER (ORDER BY session_step.step DESC)
            ELSE 1
        END AS entry,
    $rewritten AS rewritten,
    session_step.step, displaced_id, leader_id, reason, cause, hash,
    context_id, filler1_id, filler2_id, lhs1_id, lhs2_id,
    c1, big_c1, c2, big_c2, d, bound, p_value, test, depth
FROM session_step
LEFT JOIN evidence
    ON evidence.session_id = session_step.owner_id AND evidence.step = session_step.step
WHERE session_step.session_id = $id AND session_step.step > $step
