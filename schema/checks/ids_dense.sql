-- Invariant: the ids of bitext, nonterminal, rule and context run from 1, without a hole and
-- without a repetition.
--
-- One row per id that is not its predecessor plus 1.
WITH numbered AS (
    SELECT 'sentence pair' AS thing, sentence_id::BIGINT AS id,
        lag(sentence_id::BIGINT, 1, 0) OVER (ORDER BY sentence_id) AS previous
    FROM bitext
    UNION ALL
    SELECT 'non-terminal', nonterminal_id::BIGINT,
        lag(nonterminal_id::BIGINT, 1, 0) OVER (ORDER BY nonterminal_id)
    FROM nonterminal
    UNION ALL
    SELECT 'rule', rule_id, lag(rule_id, 1, 0) OVER (ORDER BY rule_id)
    FROM rule
    UNION ALL
    SELECT 'context', context_id::BIGINT, lag(context_id::BIGINT, 1, 0) OVER (ORDER BY context_id)
    FROM context
)
SELECT format('{} {} follows {}', thing, id, previous) AS what
FROM numbered
WHERE id <> previous + 1
ORDER BY thing, id;
