-- A token as Moses' own scripts write it: eight characters and those that split words as entities.
-- Needs: space_entities
--
-- Parameters
--   token  the token
--
-- One text.
CREATE OR REPLACE TEMP MACRO moses_token(token) AS
CASE WHEN regexp_full_match(token, '[^\[\]&|<>''"\t-\r]*') THEN token
ELSE space_entities(
    replace(replace(replace(replace(replace(replace(replace(replace(token,
        '&', '&amp;'), '|', '&#124;'), '<', '&lt;'), '>', '&gt;'), '''', '&apos;'), '"', '&quot;'),
        '[', '&#91;'), ']', '&#93;')
) END;
