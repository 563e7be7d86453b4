-- What pairs of non-terminals have in common: contexts of the initial grammar that both fill.
--   pairs  a table of first_id and second_id
--   $rows  the most contexts of a pair
--
-- One row per pair and context, those that take a large share of both first.
--   first_id, second_id  the pair
--   source, target       the text of the context
--   p1, p2               c(A, t) / C(A) of the first and of the second
--   contexts             how many contexts they share in all
--
-- A context and its filler make one rule, so nothing is summed up.
WITH filler AS (
    SELECT first_id AS nonterminal_id FROM pairs
    UNION
    SELECT second_id FROM pairs
), filled AS MATERIALIZED (
    SELECT slot.nonterminal_id, slot.context_id, rule.count / nonterminal.count AS p
    FROM slot
    JOIN filler ON filler.nonterminal_id = slot.nonterminal_id
    JOIN nonterminal ON nonterminal.nonterminal_id = slot.nonterminal_id
    JOIN rule ON rule.rule_id = slot.rule_id
), shared AS (
    SELECT
        pairs.first_id,
        pairs.second_id,
        low.context_id,
        low.p AS p1,
        high.p AS p2,
        count(*) OVER pair AS contexts,
        row_number() OVER (pair ORDER BY least(low.p, high.p) DESC, low.context_id) AS place
    FROM pairs
    JOIN filled AS low ON low.nonterminal_id = pairs.first_id
    JOIN filled AS high
        ON high.nonterminal_id = pairs.second_id AND high.context_id = low.context_id
    WINDOW pair AS (PARTITION BY pairs.first_id, pairs.second_id)
    QUALIFY place <= $rows
)
SELECT
    shared.first_id, shared.second_id, context.source, context.target, shared.p1, shared.p2,
    shared.contexts
FROM shared
JOIN context ON context.context_id = shared.context_id
ORDER BY shared.first_id, shared.second_id, place
