-- How the grammar grows with the corpus, at some places of it.
--   $points  the most rows
--
-- One row per place, in the order of the corpus; the last is its end.
--   sentences     the sentence pairs so far
--   nonterminals  the non-terminals that occur in them
--   rules         the rules of these, some of which can come from later sentence pairs
--   occurrences   the occurrences of non-terminals so far
WITH first_seen AS (
    SELECT nonterminal_id, min(sentence_id) AS sentence_id
    FROM occurrence
    GROUP BY nonterminal_id
), new AS (
    SELECT sentence_id, count(*) AS nonterminals, sum(rule_count) AS rules
    FROM first_seen
    JOIN nonterminal ON nonterminal.nonterminal_id = first_seen.nonterminal_id
    GROUP BY sentence_id
), place AS (
    SELECT sentence_id, count(*) AS occurrences
    FROM occurrence
    GROUP BY sentence_id
), so_far AS (
    SELECT
        bitext.sentence_id AS sentences,
        sum(coalesce(new.nonterminals, 0)) OVER corpus AS nonterminals,
        sum(coalesce(new.rules, 0)) OVER corpus AS rules,
        sum(coalesce(place.occurrences, 0)) OVER corpus AS occurrences,
        count(*) OVER () AS size
    FROM bitext
    LEFT JOIN new ON new.sentence_id = bitext.sentence_id
    LEFT JOIN place ON place.sentence_id = bitext.sentence_id
    WINDOW corpus AS (ORDER BY bitext.sentence_id)
)
SELECT
    sentences,
    nonterminals::BIGINT AS nonterminals,
    rules::BIGINT AS rules,
    occurrences::BIGINT AS occurrences
FROM so_far
-- A row wherever another hundredth, say, of the corpus is complete.
WHERE sentences * $points // size > (sentences - 1) * $points // size
ORDER BY sentences
