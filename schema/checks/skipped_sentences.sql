-- Invariant: a skipped sentence pair is skipped once and has no occurrence.
--
-- One row per skipped sentence pair that has one, or that is there twice.
SELECT format('sentence pair {} is skipped, but X{} occurs in it', sentence_id,
    min(nonterminal_id)) AS what
FROM occurrence
WHERE sentence_id IN (SELECT sentence_id FROM skipped_sentence)
GROUP BY sentence_id
UNION ALL
SELECT format('sentence pair {} is skipped {} times', sentence_id, count(*))
FROM skipped_sentence
GROUP BY sentence_id
HAVING count(*) > 1;
