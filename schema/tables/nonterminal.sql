-- The non-terminals X1, X2, ... of the grammar. The initial symbol I is not among them: its
-- rules I -> X are in glue.
--
-- One row per distinct phrase pair, by text.
--   nonterminal_id  n of Xn: from 1 by falling count, then source, then target; never changes
--   source, target  the text of the phrase pair: tokens joined by one space. A token that looks
--                   like a hole `[_]` or a gap `[X12,1]` has a backslash after its bracket, one
--                   more than it came with
--   count           C(X), the occurrences of the phrase pair in the bitext
--   rule_count      the rules of X, before any pruning
--   height          0 for a leaf (no rule with a gap), else 1 + the greatest height of its fillers
--   sentences       the sentence pairs that X occurs in
CREATE TABLE nonterminal (
    nonterminal_id INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    target VARCHAR NOT NULL,
    count BIGINT NOT NULL CHECK (count >= 1),
    rule_count BIGINT NOT NULL CHECK (rule_count >= 0),
    height INTEGER NOT NULL CHECK (height >= 0),
    sentences BIGINT NOT NULL CHECK (sentences >= 1)
);
