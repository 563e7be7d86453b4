-- The classes of all sessions as they are now, as one list for each session: with it, the leader of
-- X12 is leaders[12]. The view class_member has the same in rows.
-- Needs: session_step
--
-- One row per session.
--   session  the name of the session
--   leaders  the leader of each non-terminal, by id
--
-- At first the list has for each non-terminal the one that it was merged into, or itself. It is
-- applied to itself until nothing changes: links are climbed in leaps that double each round, so a
-- chain of 500,000 merges takes 20 rounds. More than 32 can only be a circle, in a damaged store.
CREATE OR REPLACE VIEW class_leaders AS
WITH RECURSIVE link AS (
    SELECT session_id, displaced_id, arg_min(leader_id, step) AS leader_id
    FROM session_step
    WHERE kind = 'merge'
    GROUP BY session_id, displaced_id
), climb AS (
    SELECT
        session.name AS session,
        list(coalesce(link.leader_id, nonterminal_id) ORDER BY nonterminal_id) AS leaders,
        0 AS round,
        false AS arrived
    FROM session
    CROSS JOIN nonterminal
    LEFT JOIN link
        ON link.session_id = session.session_id AND link.displaced_id = nonterminal_id
    GROUP BY session.session_id, session.name
    UNION ALL
    SELECT session, further, round + 1, further = leaders
    FROM (SELECT *, list_select(leaders, leaders) AS further FROM climb)
    WHERE NOT arrived AND round < 32
)
SELECT session, leaders FROM climb WHERE arrived OR round = 32;
