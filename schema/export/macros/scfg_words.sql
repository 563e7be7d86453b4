-- A side of a rule as Joshua and cdec write it: gaps as they are, tokens as entities demand.
-- Needs: gap_pattern, plain_token, scfg_token, unescape_word
--
-- Parameters
--   words     the side of a rule
--   entities  whether special characters become entities
--
-- One text. Most sides have nothing special but gaps, and looking is quicker than splitting.
CREATE OR REPLACE TEMP MACRO scfg_words(words, entities) AS
CASE
    WHEN regexp_full_match(words, '(?:[^\[\]&|\t-\r]|\[[^\[\], \\&|\t-\r]+,[0-9]+\])*') THEN words
    ELSE array_to_string(list_transform(string_split(words, ' '), lambda word:
        CASE
            WHEN regexp_full_match(word, gap_pattern()) THEN
                concat(
                    '[', scfg_token(regexp_extract(word, gap_pattern(), 1)), ',',
                    regexp_extract(word, gap_pattern(), 2), ']'
                )
            WHEN entities THEN scfg_token(unescape_word(word))
            ELSE plain_token(unescape_word(word))
        END), ' ')
END;
