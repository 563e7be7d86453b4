-- Two states side by side.
--   states  a table of nonterminal_id, first_id and second_id: the leaders of each non-terminal in
--           the one state and in the other
--
-- One row per class of the first and class of the second that have members in common.
--   first_id, second_id  their leaders
--   members, count       of what they have in common
SELECT first_id, second_id, count(*) AS members, sum(nonterminal.count)::BIGINT AS count
FROM states
JOIN nonterminal ON nonterminal.nonterminal_id = states.nonterminal_id
GROUP BY first_id, second_id
