-- Which phrase pairs the grammar of the store has a non-terminal for.
--   phrase  a table of number, source and target, in the symbols of the store; one row each
--
-- One row per phrase pair that has one.
--   number          its number
--   nonterminal_id  its non-terminal
SELECT phrase.number, nonterminal.nonterminal_id
FROM phrase
JOIN nonterminal ON nonterminal.source = phrase.source AND nonterminal.target = phrase.target
