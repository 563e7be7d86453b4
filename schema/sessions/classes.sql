-- The classes of a state.
--   state         a table of nonterminal_id and leader_id, one row per non-terminal
--   $min_members  leave out smaller classes
--   $examples     how many members to show, the most frequent first
--   $rows         the most rows
--
-- One row per class, by falling count.
--   leader    the id of its leader
--   members   how many non-terminals it has
--   count     C, the sum over its members
--   examples  the text of some members, as source ||| target
SELECT
    state.leader_id AS leader,
    count(*) AS members,
    sum(nonterminal.count)::BIGINT AS count,
    arg_min(
        nonterminal.source || ' ||| ' || nonterminal.target, nonterminal.nonterminal_id, $examples
    ) AS examples
FROM state
JOIN nonterminal ON nonterminal.nonterminal_id = state.nonterminal_id
GROUP BY state.leader_id
HAVING count(*) >= $min_members
ORDER BY count DESC, leader
LIMIT $rows
