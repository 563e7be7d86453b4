-- The merges of a session that came closest to failing their test.
--   $id    the session
--   $last  the last step to look at
--   $rows  the most merges for each of the two tests
-- Needs: session_step
--
-- One row per merge, by step.
--   step     its number
--   test     which test it passed
--   d        its dissimilarity; of the Hoeffding test, the greater the closer
--   p_value  of Fisher's test, the smaller the closer
SELECT session_step.step, evidence.test, evidence.d, evidence.p_value
FROM session_step
JOIN evidence ON evidence.session_id = session_step.owner_id AND evidence.step = session_step.step
WHERE session_step.session_id = $id AND session_step.kind = 'merge' AND session_step.step <= $last
QUALIFY row_number() OVER (
    PARTITION BY evidence.test ORDER BY coalesce(p_value, -d), session_step.step
) <= $rows
ORDER BY session_step.step
