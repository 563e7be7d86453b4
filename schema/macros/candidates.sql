-- Pairs of non-terminals that are worth testing: they share a context that few others fill. The
-- greater the evidence, the more a test of the pair can tell.
--
-- Parameters
--   min_count    the least count that both have
--   max_fillers  a context counts if at most this many non-terminals fill it. Contexts such as
--                "the [_]" have tens of thousands of fillers: they tell little, and the pairs of
--                their fillers would be billions
--   min_shared   the least number of such contexts that both fill
--
-- One row per pair, by falling evidence.
--   first_id, second_id  the non-terminals, the smaller id first
--   shared_contexts      such contexts that both fill
--   evidence             C1 C2 / (C1 + C2): no dissimilarity of the two in any context is greater
CREATE OR REPLACE MACRO candidates(min_count := 1, max_fillers := 10, min_shared := 1) AS TABLE
WITH rare_context AS (
    SELECT context_id
    FROM (SELECT context_id, count(*) AS fillers FROM slot GROUP BY context_id)
    WHERE fillers BETWEEN 2 AND max_fillers
), filler AS (
    SELECT slot.context_id, slot.nonterminal_id, nonterminal.count
    FROM slot
    JOIN nonterminal ON nonterminal.nonterminal_id = slot.nonterminal_id
    WHERE nonterminal.count >= min_count AND slot.context_id IN (FROM rare_context)
), pair AS (
    SELECT
        filler1.nonterminal_id AS first_id,
        filler2.nonterminal_id AS second_id,
        filler1.count::DOUBLE AS big_c1,
        filler2.count::DOUBLE AS big_c2,
        count(*) AS shared_contexts
    FROM filler AS filler1
    JOIN filler AS filler2
        ON filler2.context_id = filler1.context_id
        AND filler2.nonterminal_id > filler1.nonterminal_id
    GROUP BY ALL
)
SELECT first_id, second_id, shared_contexts, big_c1 * big_c2 / (big_c1 + big_c2) AS evidence
FROM pair
WHERE shared_contexts >= min_shared
ORDER BY evidence DESC, first_id, second_id;
