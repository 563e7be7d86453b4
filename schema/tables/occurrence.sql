-- Where in the bitext each phrase pair stands.
--
-- One row per occurrence of a non-terminal; loaded by nonterminal_id, sentence_id and spans.
--   nonterminal_id  the non-terminal
--   sentence_id     the sentence pair, a row of bitext
--   source_start, source_end, target_start, target_end
--                   word positions from 0, the end exclusive
CREATE TABLE occurrence (
    nonterminal_id INTEGER NOT NULL,
    sentence_id INTEGER NOT NULL,
    source_start USMALLINT NOT NULL,
    source_end USMALLINT NOT NULL,
    target_start USMALLINT NOT NULL,
    target_end USMALLINT NOT NULL
);
