-- The non-terminals that read as those of another store do.
--   theirs  a table of nonterminal_id, source and target
--
-- One row per non-terminal that both stores have.
--   their_id        the id in the other store
--   nonterminal_id  the id here
SELECT theirs.nonterminal_id AS their_id, nonterminal.nonterminal_id
FROM theirs
JOIN nonterminal ON nonterminal.source = theirs.source AND nonterminal.target = theirs.target
