-- Invariant: the counts of the rules of X add up to C(X). They may stay below it where rules were
-- pruned, where X has no rule, and where counts were spread by occurrence and X is longer than a
-- lexical rule may be, so that an occurrence can be without any rule. In an imported grammar C(X) is
-- the sum, rounded up.
--
-- One row per non-terminal with a wrong sum.
WITH how AS (
    SELECT
        any_value(options ->> 'counting') AS counting,
        any_value((options ->> 'max_source_symbols')::BIGINT) AS longest,
        any_value(prune_alpha) IS NOT NULL AS pruned,
        any_value(options ->> 'imported') IS NOT NULL AS imported
    FROM build
), sums AS (
    SELECT lhs_id, sum(count) AS total
    FROM rule
    GROUP BY lhs_id
), compared AS (
    SELECT
        nonterminal.nonterminal_id,
        nonterminal.count AS big_c,
        coalesce(sums.total, 0) AS total,
        how.pruned
            OR how.imported AND big_c - total < 1
            OR nonterminal.rule_count = 0
            OR how.counting = 'occurrence'
                AND length(source) - length(replace(source, ' ', '')) + 1 > how.longest
            AS may_be_less
    FROM nonterminal
    CROSS JOIN how
    LEFT JOIN sums ON sums.lhs_id = nonterminal.nonterminal_id
)
SELECT format('the counts of the rules of X{} add up to {}, C(X{}) is {}',
    nonterminal_id, total, nonterminal_id, big_c) AS what
FROM compared
WHERE total > big_c * (1 + 1e-9)
    OR total < big_c * (1 - 1e-9) AND may_be_less IS NOT TRUE
ORDER BY nonterminal_id;
