-- The most frequent non-terminals, for searching: ids are in the order of counts.
--   $rows  how many
--
-- One row per non-terminal, by id.
SELECT nonterminal_id, source, target, count
FROM nonterminal
WHERE nonterminal_id <= $rows
ORDER BY nonterminal_id
