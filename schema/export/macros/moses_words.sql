-- A side of a rule as Moses writes it: gaps as `[X][X3]`, tokens as entities demand.
-- Needs: gap_pattern, moses_token, plain_token, unescape_word
--
-- Parameters
--   words     the side of a rule
--   entities  whether special characters become entities
--
-- One text. Most sides have nothing special but one or two gaps: looking at them once, and replacing
-- what is the same in all gaps, is three times as quick as splitting them.
CREATE OR REPLACE TEMP MACRO moses_words(words, entities) AS
CASE
    WHEN regexp_full_match(
        words, '(?:[^\[\]&|<>''"\t-\r]|\[[^\[\], \\&|<>''"\t-\r]+,[12]\])*'
    ) THEN replace(replace(replace(words, '[', '[X]['), ',1]', ']'), ',2]', ']')
    ELSE array_to_string(list_transform(string_split(words, ' '), lambda word:
        CASE
            WHEN regexp_full_match(word, gap_pattern()) THEN
                concat('[X][', moses_token(regexp_extract(word, gap_pattern(), 1)), ']')
            WHEN entities THEN moses_token(unescape_word(word))
            ELSE plain_token(unescape_word(word))
        END), ' ')
END;
