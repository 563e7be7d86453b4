-- A side of a rule as Moses writes it: gaps as `[X][X3]`, tokens as entities demand.
-- Needs: gap_pattern, moses_token, plain_token, unescape_word
--
-- Parameters
--   words     the side of a rule
--   entities  whether special characters become entities
--
-- One text. Most sides have nothing special but gaps, and looking is quicker than splitting.
CREATE OR REPLACE TEMP MACRO moses_words(words, entities) AS
CASE
    WHEN NOT regexp_matches(words, '[\[\]&|<>''"\t-\r]') THEN words
    WHEN NOT regexp_matches(
        regexp_replace(words, '\[[^\[\], \\&|<>''"\t-\r]+,[0-9]+\]', '', 'g'),
        '[\[\]&|<>''"\t-\r]'
    ) THEN regexp_replace(words, gap_pattern(), '[X][\1]', 'g')
    ELSE array_to_string(list_transform(string_split(words, ' '), lambda word:
        CASE
            WHEN regexp_full_match(word, gap_pattern()) THEN
                concat('[X][', moses_token(regexp_extract(word, gap_pattern(), 1)), ']')
            WHEN entities THEN moses_token(unescape_word(word))
            ELSE plain_token(unescape_word(word))
        END), ' ')
END;
