-- The members of parts of classes that went elsewhere.
--   states   a table of nonterminal_id, first_id and second_id: the leaders of each non-terminal in
--            the one state and in the other
--   leaving  a table of first_id and second_id: which parts
--
-- One row per non-terminal, by id.
--   nonterminal_id, source, target, count  as in nonterminal
--   left, now                              its leaders in the two states
SELECT
    nonterminal.nonterminal_id,
    nonterminal.source,
    nonterminal.target,
    nonterminal.count,
    states.first_id AS left,
    states.second_id AS now
FROM states
JOIN leaving ON leaving.first_id = states.first_id AND leaving.second_id = states.second_id
JOIN nonterminal ON nonterminal.nonterminal_id = states.nonterminal_id
ORDER BY nonterminal.nonterminal_id
