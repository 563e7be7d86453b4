-- Invariant: the glue rule I -> X has as its count the occurrences of X that are a whole sentence
-- pair, and there is none where that is 0; so it is at most C(X).
--
-- One row per non-terminal with another count.
WITH lengths AS (
    SELECT
        sentence_id,
        len(words_of(source)) AS source_length,
        len(words_of(target)) AS target_length
    FROM bitext
), whole AS (
    SELECT occurrence.nonterminal_id, count(*) AS count
    FROM occurrence
    JOIN lengths ON lengths.sentence_id = occurrence.sentence_id
    WHERE occurrence.source_end - occurrence.source_start = lengths.source_length
        AND occurrence.target_end - occurrence.target_start = lengths.target_length
    GROUP BY occurrence.nonterminal_id
)
SELECT format('glue rule of X{} has count {}, it is a whole sentence pair {} times',
    nonterminal_id, coalesce(glue.count, 0), coalesce(whole.count, 0)) AS what
FROM glue
FULL JOIN whole USING (nonterminal_id)
WHERE coalesce(glue.count, 0) <> coalesce(whole.count, 0)
UNION ALL
SELECT format('glue rule of X{} has count {}, C(X{}) is {}', glue.nonterminal_id, glue.count,
    glue.nonterminal_id, nonterminal.count)
FROM glue
JOIN nonterminal ON nonterminal.nonterminal_id = glue.nonterminal_id
WHERE glue.count > nonterminal.count;
