-- Whose steps each session sees: its own, and those of the sessions that it branched from, up to
-- the fork.
--
-- One row per session and session that it sees steps of.
--   session_id, session  the id and name of the session
--   owner_id             whose rows it sees: its own id, its parent's, and so on up
--   last_step            the last of these steps that it sees
--
-- UNION and not UNION ALL: parents in a circle, in a damaged store, do not go on for ever.
CREATE OR REPLACE VIEW session_line AS
WITH RECURSIVE line AS (
    SELECT session_id, name, session_id AS owner_id, parent_id, forked_at, last_step
    FROM session
    UNION
    SELECT
        line.session_id,
        line.name,
        parent.session_id,
        parent.parent_id,
        parent.forked_at,
        least(line.last_step, line.forked_at)
    FROM line
    JOIN session AS parent ON parent.session_id = line.parent_id
)
SELECT session_id, name AS session, owner_id, last_step FROM line;
