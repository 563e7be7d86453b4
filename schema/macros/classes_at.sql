-- The classes of a session as of a step.
-- Needs: session_step
--
-- Parameters
--   session_name  the session
--   at_step       the step; 0 for the initial grammar; without it, the last step
--
-- One row per non-terminal; none if there is no such session.
--   nonterminal_id  the member
--   leader_id       the leader of its class, which names the class
--
-- Links are climbed in leaps that double each round, as in the view class_leaders.
CREATE OR REPLACE MACRO classes_at(session_name, at_step := NULL) AS TABLE
WITH RECURSIVE link AS (
    SELECT displaced_id, arg_min(leader_id, step) AS leader_id
    FROM session_step
    WHERE session = session_name AND kind = 'merge' AND step <= coalesce(at_step, step)
    GROUP BY displaced_id
), climb AS (
    SELECT
        list(coalesce(link.leader_id, nonterminal_id) ORDER BY nonterminal_id) AS leaders,
        0 AS round,
        false AS arrived
    FROM nonterminal
    LEFT JOIN link ON link.displaced_id = nonterminal_id
    UNION ALL
    SELECT further, round + 1, further = leaders
    FROM (SELECT *, list_select(leaders, leaders) AS further FROM climb)
    WHERE NOT arrived AND round < 32
)
SELECT unnest(range(1, len(leaders) + 1))::INTEGER AS nonterminal_id, unnest(leaders) AS leader_id
FROM climb
WHERE (arrived OR round = 32) AND EXISTS (FROM session WHERE name = session_name);
