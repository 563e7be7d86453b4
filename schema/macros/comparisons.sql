-- Two non-terminals of the initial grammar, compared in every context that either fills: do they
-- have the same share of their counts in it? A context that only one fills counts 0 for the other.
-- Needs: compare_proportions
--
-- Parameters
--   a, b          the non-terminals, such as 3 and 6 for X3 and X6
--   alpha         the level of the tests, greater than 0 and at most 1
--   fisher_below  Fisher's test decides where the smaller of C(a) and C(b) is below this, otherwise
--                 Hoeffding's; 0 for never
--
-- One row per context of either, by falling dissimilarity.
--   context_id, source, target  as in context
--   c1, big_c1                  c(a, t), the count of the rule with this context and filler a; C(a)
--   c2, big_c2                  the same of b
--   p1, p2                      the proportions c / C, at most 1
--   d                           the dissimilarity C1 C2 / (C1 + C2) (p1 - p2)^2
--   bound                       what |p1 - p2| must stay below in Hoeffding's test
--   test                        the test that decides, `hoeffding` or `fisher`
--   p_value                     of Fisher's test; NULL where Hoeffding's decides
--   equal                       whether the proportions count as equal
--
-- No row with false in equal does not yet mean that a and b are equivalent: the left-hand sides of
-- their rules with the contexts that they share must be so, too.
CREATE OR REPLACE MACRO comparisons(a, b, alpha, fisher_below := 20) AS TABLE
WITH filled AS MATERIALIZED (
    SELECT
        slot.context_id,
        coalesce(sum(rule.count) FILTER (slot.nonterminal_id = a), 0.0) AS c1,
        coalesce(sum(rule.count) FILTER (slot.nonterminal_id = b), 0.0) AS c2
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id
    WHERE slot.nonterminal_id = a OR slot.nonterminal_id = b
    GROUP BY slot.context_id
), counted AS (
    SELECT
        filled.context_id,
        filled.c1,
        x1.count::DOUBLE AS big_c1,
        filled.c2,
        x2.count::DOUBLE AS big_c2
    FROM filled
    JOIN nonterminal AS x1 ON x1.nonterminal_id = a
    JOIN nonterminal AS x2 ON x2.nonterminal_id = b
), compared AS (
    SELECT
        counted.*,
        compare_proportions(c1, big_c1, c2, big_c2, alpha, fisher_below := fisher_below) AS outcome
    FROM counted
)
SELECT
    context.context_id,
    context.source,
    context.target,
    c1,
    big_c1,
    c2,
    big_c2,
    least(c1 / big_c1, 1.0) AS p1,
    least(c2 / big_c2, 1.0) AS p2,
    unnest(outcome)
FROM compared
JOIN context ON context.context_id = compared.context_id
ORDER BY outcome.d DESC, context.context_id;
