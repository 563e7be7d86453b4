-- The height of each non-terminal and where it comes by text, in the order of ids.
-- One row per non-terminal.
SELECT height, row_number() OVER (ORDER BY source, target)::INTEGER AS place
FROM nonterminal
ORDER BY nonterminal_id;
