-- The non-terminals whose text is most like a given one, for error messages.
--   $text  text written as "source ||| target"
--
-- One row for each of the three best.
SELECT nonterminal_id, source || ' ||| ' || target AS text
FROM nonterminal
ORDER BY jaro_winkler_similarity(text, $text) DESC, nonterminal_id
LIMIT 3
