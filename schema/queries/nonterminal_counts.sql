-- The count of every non-terminal.
--
-- One row per non-terminal, by id.
SELECT count FROM nonterminal ORDER BY nonterminal_id
