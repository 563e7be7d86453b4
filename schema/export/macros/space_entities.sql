-- A token with the characters from tab to carriage return as numbers: every tool splits at them.
--
-- Parameters
--   token  the token
--
-- One text.
CREATE OR REPLACE TEMP MACRO space_entities(token) AS
CASE WHEN regexp_matches(token, '[\t-\r]') THEN
    replace(replace(replace(replace(replace(token,
        chr(9), '&#9;'), chr(10), '&#10;'), chr(11), '&#11;'), chr(12), '&#12;'), chr(13), '&#13;')
ELSE token END;
