-- The points of an alignment that are between words: Joshua and cdec know those of gaps by number.
--
-- Parameters
--   gaps       which symbols of the source side are gaps, or NULL
--   alignment  its points, those of gaps included
--
-- One text.
CREATE OR REPLACE TEMP MACRO word_points(gaps, alignment) AS
CASE WHEN alignment = '' OR gaps IS NULL THEN alignment
ELSE array_to_string(list_filter(string_split(alignment, ' '), lambda point:
    NOT gaps[split_part(point, '-', 1)::INTEGER + 1]), ' ')
END;
