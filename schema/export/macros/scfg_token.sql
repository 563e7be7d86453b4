-- A token as the formats of Joshua and cdec hold it: bars, brackets and what splits words as
-- entities; an ampersand only where it would begin one of these.
-- Needs: space_entities
--
-- Parameters
--   token  the token
--
-- One text.
CREATE OR REPLACE TEMP MACRO scfg_token(token) AS
CASE WHEN regexp_full_match(token, '[^\[\]&|\t-\r]*') THEN token
ELSE space_entities(
    replace(replace(replace(
        regexp_replace(token, '&(amp|#124|#91|#93|#9|#10|#11|#12|#13);', '&amp;\1;', 'g'),
        '|', '&#124;'), '[', '&#91;'), ']', '&#93;')
) END;
