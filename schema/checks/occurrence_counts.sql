-- Invariant: C(X) is the number of occurrences of X, and sentences the number of sentence pairs
-- that they are in. An imported grammar has no occurrences.
--
-- One row per non-terminal with another number.
WITH in_sentence AS (
    SELECT nonterminal_id, sentence_id, count(*) AS occurrences
    FROM occurrence
    GROUP BY nonterminal_id, sentence_id
), found AS (
    SELECT nonterminal_id, sum(occurrences) AS occurrences, count(*) AS sentences
    FROM in_sentence
    GROUP BY nonterminal_id
)
SELECT format('X{} has count {} in {} sentence pairs, it occurs {} times in {}',
    nonterminal.nonterminal_id, nonterminal.count, nonterminal.sentences,
    coalesce(found.occurrences, 0), coalesce(found.sentences, 0)) AS what
FROM nonterminal
LEFT JOIN found ON found.nonterminal_id = nonterminal.nonterminal_id
WHERE (nonterminal.count <> coalesce(found.occurrences, 0)
        OR nonterminal.sentences <> coalesce(found.sentences, 0))
    AND ((SELECT any_value(options ->> 'imported') FROM build) IS NULL
        OR found.nonterminal_id IS NOT NULL)
ORDER BY nonterminal.nonterminal_id;
