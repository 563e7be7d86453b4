-- The text of a store as that of a translation rule: words that look like gaps of any label get a
-- backslash. Those that look like `[X12,1]` have one already, and gaps keep none.
--
-- Parameters
--   words  the text of a non-terminal or context
--
-- One text.
CREATE OR REPLACE TEMP MACRO escape_labels(words) AS
CASE WHEN regexp_matches(words, ',[0-9]+\]') THEN
    regexp_replace(words,
        '\[(\\*(?:[^X\[\], \\][^\[\], \\]*|X|X[0-9]*[^0-9\[\], \\][^\[\], \\]*),[0-9]+\])',
        '[\\\1', 'g')
ELSE words END;
