-- The merges of a session as the trees that they are: who joined whom, and when.
-- Needs: session_step
--
-- Parameters
--   session_name  the session
--
-- One row per non-terminal of a class with several members, by class and step.
--   leader_id       the leader of the class now, the root of the tree
--   nonterminal_id  the member
--   joined_id       whom it was merged into; NULL for the leader
--   step, reason    of that merge; NULL for the leader
--   depth           merges on the way to the leader, 0 for itself
--   source, target  the text of the member
--
-- Links are climbed in leaps that double each round, as in the view class_leaders.
CREATE OR REPLACE MACRO merge_tree(session_name) AS TABLE
WITH RECURSIVE link AS MATERIALIZED (
    SELECT displaced_id, leader_id, step, reason
    FROM session_step
    WHERE session = session_name AND kind = 'merge'
), climb AS (
    SELECT
        list(coalesce(link.leader_id, nonterminal_id) ORDER BY nonterminal_id) AS leaders,
        list(if(link.leader_id IS NULL, 0, 1) ORDER BY nonterminal_id) AS depths,
        0 AS round,
        false AS arrived
    FROM nonterminal
    LEFT JOIN link ON link.displaced_id = nonterminal_id
    UNION ALL
    SELECT
        further,
        list_transform(
            list_zip(depths, list_select(depths, leaders)), lambda pair: pair[1] + pair[2]
        ),
        round + 1,
        further = leaders
    FROM (SELECT *, list_select(leaders, leaders) AS further FROM climb)
    WHERE NOT arrived AND round < 32
), every_member AS (
    SELECT
        unnest(range(1, len(leaders) + 1))::INTEGER AS nonterminal_id,
        unnest(leaders) AS leader_id,
        unnest(depths) AS depth
    FROM climb
    WHERE arrived OR round = 32
), member AS (
    FROM every_member
    WHERE depth > 0 OR nonterminal_id IN (SELECT leader_id FROM link)
)
SELECT
    member.leader_id,
    member.nonterminal_id,
    link.leader_id AS joined_id,
    link.step,
    link.reason,
    member.depth,
    nonterminal.source,
    nonterminal.target
FROM member
JOIN nonterminal ON nonterminal.nonterminal_id = member.nonterminal_id
LEFT JOIN link ON link.displaced_id = member.nonterminal_id
ORDER BY member.leader_id, link.step NULLS FIRST;
