-- A field of a rule table, with the bars before it; an empty one is the bars alone.
--
-- Parameters
--   field  the text of the field
--
-- One text.
CREATE OR REPLACE TEMP MACRO filled(field) AS ' |||' || CASE WHEN field = '' THEN '' ELSE ' ' || field END;
