-- The sentence pairs that add nothing to the grammar, with the reason.
--
-- One row per skipped sentence pair.
--   sentence_id  its row in bitext
--   reason       for people, such as `more than 100 words`
CREATE TABLE skipped_sentence (
    sentence_id INTEGER NOT NULL,
    reason VARCHAR NOT NULL
);
