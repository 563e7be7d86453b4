-- The text of some non-terminals.
--   wanted  a table of their ids, nonterminal_id
--
-- One row per non-terminal.
SELECT nonterminal_id, source, target FROM nonterminal JOIN wanted USING (nonterminal_id)
