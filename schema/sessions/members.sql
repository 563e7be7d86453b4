-- The members of a class.
--   wanted  a table of nonterminal_id
--   $rows   the most rows
--
-- One row per member, by falling count.
SELECT nonterminal.nonterminal_id, source, target, count
FROM nonterminal
JOIN wanted ON wanted.nonterminal_id = nonterminal.nonterminal_id
ORDER BY count DESC, nonterminal.nonterminal_id
LIMIT $rows
