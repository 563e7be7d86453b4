-- All non-terminals, the most frequent first.
--
-- One row per non-terminal.
FROM nonterminal ORDER BY nonterminal_id
