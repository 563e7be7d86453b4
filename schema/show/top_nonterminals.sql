-- The most frequent non-terminals.
--   $rows  how many
--
-- One row per non-terminal, by id.
SELECT nonterminal_id, source, target, count, rule_count
FROM nonterminal
WHERE nonterminal_id <= $rows
ORDER BY nonterminal_id
