-- What is to be said of some classes.
--   place   a table of nonterminal_id and leader_id, one row per non-terminal
--   wanted  a table of leader_id
--
-- One row per class.
--   leader_id       its leader
--   source, target  the text of the leader
--   count           C, the sum over its members
--   members         how many non-terminals it has
--   height          the greatest of its members
WITH class AS (
    SELECT
        place.leader_id,
        sum(nonterminal.count)::BIGINT AS count,
        count(*) AS members,
        max(nonterminal.height) AS height
    FROM place
    JOIN wanted ON wanted.leader_id = place.leader_id
    JOIN nonterminal ON nonterminal.nonterminal_id = place.nonterminal_id
    GROUP BY place.leader_id
)
SELECT class.leader_id, source, target, class.count, class.members, class.height
FROM class
JOIN nonterminal ON nonterminal_id = leader_id
