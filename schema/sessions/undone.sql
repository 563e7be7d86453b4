-- The steps that would be done again next.
--   $id       the session
--   $entries  how many entries
--
-- One row per step, in the order to do them.
SELECT *
FROM undone_step
WHERE session_id = $id
    AND entry > (SELECT max(entry) FROM undone_step WHERE session_id = $id) - $entries
ORDER BY entry DESC, step
