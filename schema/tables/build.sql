-- How the grammar was made, so that it can be made again.
--
-- One row in a built store, none before.
--   version       the version of grammar_store that built it
--   signature     one line that names inputs and options
--   options       the options of extraction, by name
--   inputs        the input files
--   sentences     the sentence pairs read, the skipped ones too
--   skipped       the sentence pairs skipped
--   prune_alpha   the level that the rules were pruned for; NULL when none was left out
--   prune_fisher  whether the pruning allows for the Fisher back-off; NULL when not pruned
CREATE TABLE build (
    version VARCHAR NOT NULL,
    signature VARCHAR NOT NULL,
    options JSON NOT NULL,
    inputs JSON NOT NULL,
    sentences BIGINT NOT NULL,
    skipped BIGINT NOT NULL,
    prune_alpha DOUBLE,
    prune_fisher BOOLEAN
);
