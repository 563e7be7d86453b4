-- The glue rules I -> X with the text of X.
--   $rows  the most rows
--
-- One row per glue rule, by falling count.
SELECT nonterminal_id, glue.count, source, target
FROM glue JOIN nonterminal USING (nonterminal_id)
ORDER BY glue.count DESC, nonterminal_id
LIMIT $rows
