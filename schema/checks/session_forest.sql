-- Invariant: in the steps that a session sees, nobody is displaced twice, and who was displaced is
-- neither a leader nor promoted later.
-- Needs: session_step
--
-- One row per step where that is not so.
WITH gone AS (
    SELECT session_id, displaced_id, min(step) AS step
    FROM session_step
    WHERE kind = 'merge'
    GROUP BY session_id, displaced_id
), taking_part AS (
    SELECT session_id, step, displaced_id AS nonterminal_id FROM session_step
    UNION ALL
    SELECT session_id, step, leader_id FROM session_step
)
SELECT format('step {} of session {} has X{}, which was displaced in step {}',
    taking_part.step, taking_part.session_id, gone.displaced_id, gone.step) AS what
FROM taking_part
JOIN gone
    ON gone.session_id = taking_part.session_id
    AND gone.displaced_id = taking_part.nonterminal_id
WHERE taking_part.step > gone.step
ORDER BY taking_part.session_id, taking_part.step;
