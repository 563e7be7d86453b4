-- The place of a gap in a side of a rule.
--
-- Parameters
--   words  the side of a rule
--   k      the number of the gap
--
-- One number, from 0.
CREATE OR REPLACE TEMP MACRO gap_place(words, k) AS
list_position(
    list_transform(string_split(words, ' '), lambda word:
        regexp_full_match(word, '\[[^\[\], \\]+,' || k || '\]')),
    true
) - 1;
