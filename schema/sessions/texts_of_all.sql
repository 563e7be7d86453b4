-- The name by text of each non-terminal, in the order of ids.
-- One row per non-terminal.
SELECT source || ' ||| ' || target AS name
FROM nonterminal
ORDER BY nonterminal_id;
