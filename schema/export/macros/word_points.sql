-- The points of an alignment that are between words: Joshua and cdec know those of gaps by number.
-- Needs: gap_pattern
--
-- Parameters
--   words      the source side of a rule
--   alignment  its points, those of gaps included
--
-- One text.
CREATE OR REPLACE TEMP MACRO word_points(words, alignment) AS
CASE WHEN alignment = '' OR NOT contains(words, '[') THEN alignment
ELSE array_to_string(list_filter(string_split(alignment, ' '), lambda point:
    NOT regexp_full_match(
        string_split(words, ' ')[split_part(point, '-', 1)::INTEGER + 1], gap_pattern()
    )), ' ')
END;
