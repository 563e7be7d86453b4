-- The word-aligned bitext that the grammar was taken from, as it was read, so that a
-- non-terminal can be followed to its sentences.
--
-- One row per sentence pair, the skipped ones too.
--   sentence_id     from 1, in the order of the input
--   source, target  the words as given, separated by spaces (never escaped)
--   alignment       links `i-j` between word positions from 0, separated by spaces
--   source_classes, target_classes
--                   the word classes that stood for the words of that side during extraction;
--                   NULL where the words themselves did
CREATE TABLE bitext (
    sentence_id INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    target VARCHAR NOT NULL,
    alignment VARCHAR NOT NULL,
    source_classes VARCHAR,
    target_classes VARCHAR
);
