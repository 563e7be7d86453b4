-- A token as it is, for texts that have entities already; an error if a rule table cannot hold it.
--
-- Parameters
--   token  the token
--
-- One text.
CREATE OR REPLACE TEMP MACRO plain_token(token) AS
CASE WHEN regexp_matches(token, '[\[\]|\t-\r]') THEN
    error(concat('unescaped: ', token))
ELSE token END;
