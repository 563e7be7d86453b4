-- The labels of an imported grammar: the non-terminals without a lexical rule, which all phrase pairs
-- have.
--
-- One row per label, by id.
--   nonterminal_id  the non-terminal
--   label           its text without the brackets
SELECT nonterminal_id, source[2:-2] AS label
FROM nonterminal
WHERE nonterminal_id NOT IN (SELECT lhs_id FROM rule WHERE gaps = 0)
ORDER BY nonterminal_id
