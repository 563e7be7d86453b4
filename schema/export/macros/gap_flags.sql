-- Which symbols of a side of a rule are gaps.
-- Needs: gap_pattern
--
-- Parameters
--   words  the side of a rule
--
-- One list; NULL where nothing looks like a gap.
CREATE OR REPLACE TEMP MACRO gap_flags(words) AS
CASE WHEN contains(words, '[') THEN
    list_transform(string_split(words, ' '), lambda word: regexp_full_match(word, gap_pattern()))
END;
