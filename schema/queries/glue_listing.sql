-- The glue rules I -> X with the text of X.
--   $low, $high  the range of the X;  $rows  the most rows
--
-- One row per glue rule, by falling count.
SELECT nonterminal_id, glue.count, source, target
FROM glue JOIN nonterminal USING (nonterminal_id)
WHERE nonterminal_id BETWEEN $low AND $high
ORDER BY glue.count DESC, nonterminal_id
LIMIT $rows
