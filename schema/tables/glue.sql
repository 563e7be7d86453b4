-- The glue rules I -> X, where I is the initial symbol.
--
-- One row per non-terminal that is a whole sentence pair somewhere.
--   nonterminal_id  X
--   count           the sentence pairs that are X from end to end
CREATE TABLE glue (
    nonterminal_id INTEGER NOT NULL,
    count BIGINT NOT NULL CHECK (count >= 1)
);
