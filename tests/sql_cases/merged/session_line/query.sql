-- What three sees of two it sees only up to its own fork, and two has step 1 from one.
SELECT * FROM session_line ORDER BY session_id, owner_id DESC
