-- A side of a rule without the numbers of its gaps: `[X3,2]` becomes `[X3]`.
-- Needs: gap_pattern
--
-- Parameters
--   words  the side of a rule
--
-- One text; the same where there are no two gaps, which have one number anyway.
CREATE OR REPLACE TEMP MACRO unnumbered_gaps(words) AS
CASE WHEN contains(words, ',2]') THEN
    array_to_string(list_transform(string_split(words, ' '), lambda word:
        CASE WHEN regexp_full_match(word, gap_pattern()) THEN
            '[' || regexp_extract(word, gap_pattern(), 1) || ']'
        ELSE word END), ' ')
ELSE words END;
