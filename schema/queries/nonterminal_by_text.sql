-- A non-terminal by the text of its phrase pair.
--   $names  lists [source, target], one for each way to read what the user wrote
--
-- One row, or none; more if the text can be read in several ways.
SELECT nonterminal.*
FROM nonterminal
JOIN (SELECT unnest($names) AS name) AS wanted
    ON nonterminal.source = wanted.name[1] AND nonterminal.target = wanted.name[2]
ORDER BY nonterminal_id
