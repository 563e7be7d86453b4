-- The non-terminals that fill a context.
--   $id    the context
--   $rows  the most rows
--
-- One row per filler, by falling count.
--   nonterminal_id, source, target  as in nonterminal
--   c                               c(X, t), the count of its rule with this context
--   big_c                           C(X)
--   p                               the proportion c / C, at most 1
SELECT
    x.nonterminal_id,
    x.source,
    x.target,
    rule.count AS c,
    x.count AS big_c,
    least(rule.count / x.count, 1.0) AS p
FROM slot
JOIN rule ON rule.rule_id = slot.rule_id
JOIN nonterminal AS x ON x.nonterminal_id = slot.nonterminal_id
WHERE slot.context_id = $id
ORDER BY c DESC, x.nonterminal_id
LIMIT $rows
