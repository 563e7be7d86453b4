-- The token that a word of a rule stands for: without the backslash that a word has which looks like
-- a gap `[X3,1]` or a hole `[_]`.
--
-- Parameters
--   word  a word of a rule
--
-- One text.
CREATE OR REPLACE TEMP MACRO unescape_word(word) AS
CASE WHEN contains(word, '[\') THEN
    regexp_replace(word, '\[\\(\\*(_|[^\[\], \\]+,[0-9]+)\])', '[\1', 'g')
ELSE word END;
