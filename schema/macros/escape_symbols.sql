-- Words of the bitext as symbols of the grammar: what looks like a hole `[_]` or a gap `[X12,1]`,
-- with any number of backslashes after its bracket, gets one backslash more.
--
-- Parameters
--   words  text of the bitext
--
-- One text.
CREATE OR REPLACE MACRO escape_symbols(words) AS
    regexp_replace(words, '\[(\\*(_|X[0-9]+,[0-9]+)\])', '[\\\1', 'g');
