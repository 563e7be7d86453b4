-- The steps of all sessions, with those that a branch has from its parent.
-- Needs: session_line
--
-- One row per session and step.
--   session_id, session  the id and name of the session
--   step                 from 1
--   kind                 `merge` or `promotion`
--   displaced_id         the non-terminal that gave way; NULL for a promotion
--   leader_id            the one that stands for both; for a promotion the non-terminal promoted
--   reason, cause, hash  as in merge
--   owner_id             the session that the row belongs to, as its evidence does
CREATE OR REPLACE VIEW session_step AS
SELECT
    session_line.session_id,
    session_line.session,
    merge.step,
    'merge' AS kind,
    merge.displaced_id,
    merge.leader_id,
    merge.reason,
    merge.cause,
    merge.hash,
    session_line.owner_id
FROM session_line
JOIN merge ON merge.session_id = session_line.owner_id AND merge.step <= session_line.last_step
UNION ALL
SELECT
    session_line.session_id,
    session_line.session,
    promotion.step,
    'promotion',
    NULL,
    promotion.nonterminal_id,
    promotion.reason,
    promotion.cause,
    promotion.hash,
    session_line.owner_id
FROM session_line
JOIN promotion ON promotion.session_id = session_line.owner_id AND promotion.step <= session_line.last_step;
