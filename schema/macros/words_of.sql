-- The words of a text of the bitext: what stands between spaces.
--
-- Parameters
--   words  text of the bitext
--
-- One list.
CREATE OR REPLACE MACRO words_of(words) AS
    list_filter(string_split(words, ' '), lambda word: word <> '');
