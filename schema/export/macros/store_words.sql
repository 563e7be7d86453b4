-- The text of a translation rule as that of a store: a word keeps its backslash only if it looks like
-- a gap of a store, `[X12,1]`, or a hole.
--
-- Parameters
--   words  a side of a rule, its gaps already those of a store
--
-- One text.
CREATE OR REPLACE TEMP MACRO store_words(words) AS
CASE WHEN contains(words, '[\') THEN
    regexp_replace(words,
        '\[\\(\\*(?:[^X\[\], \\][^\[\], \\]*|X|X[0-9]*[^0-9\[\], \\][^\[\], \\]*),[0-9]+\])',
        '[\1', 'g')
ELSE words END;
