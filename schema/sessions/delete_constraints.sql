-- Remove constraints of a session.
--   $id              the session
--   $first, $second  the pair; NULL for all pairs
DELETE FROM session_constraint
WHERE session_id = $id
    AND ($first IS NULL OR (first_id = $first AND second_id = $second))
