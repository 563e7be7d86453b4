-- All sessions with their sizes; steps that a branch has from its parent count too.
-- Needs: session_step
--
-- One row per session, by id.
WITH size AS (
    SELECT
        session_id,
        count(*) FILTER (kind = 'merge') AS merges,
        count(*) FILTER (kind = 'promotion') AS promotions
    FROM session_step
    GROUP BY session_id
)
SELECT
    session.name,
    session.method,
    session.status,
    session.last_step AS steps,
    coalesce(size.merges, 0) AS merges,
    coalesce(size.promotions, 0) AS promotions,
    (SELECT count(*) FROM nonterminal) - coalesce(size.merges, 0) AS classes,
    parent.name AS parent,
    session.forked_at,
    session.created_at,
    session.description,
    session.signature
FROM session
LEFT JOIN size ON size.session_id = session.session_id
LEFT JOIN session AS parent ON parent.session_id = session.parent_id
ORDER BY session.session_id
