-- The rules that touch a ring of non-terminals around a center, and none nearer to it.
--   near      a table of nonterminal_id: the ring
--   passed    a table of nonterminal_id: those nearer to the center
--   $lexical  whether rules without a gap count
--
-- One row per rule.
--   rule_id     the rule
--   lhs_id      its left-hand side
--   fillers     the non-terminals in its gaps, in source order
--   count       c(r)
--   rules       1: see graph/ring_merged
--   context_id  its first context; NULL for a lexical rule
--   member_id   whose text a lexical rule has: that of its left-hand side
--
-- Lists are made only for rules with several gaps, which are few.
CREATE OR REPLACE TEMP TABLE ring AS
WITH touched AS MATERIALIZED (
    SELECT rule_id FROM rule WHERE lhs_id IN (FROM near)
    UNION
    SELECT rule_id FROM slot WHERE nonterminal_id IN (FROM near)
), before AS (
    SELECT rule_id FROM rule WHERE lhs_id IN (FROM passed)
    UNION ALL
    SELECT rule_id FROM slot WHERE nonterminal_id IN (FROM passed)
), chosen AS MATERIALIZED (
    SELECT rule_id, lhs_id, count, gaps
    FROM rule
    WHERE rule_id IN (FROM touched) AND rule_id NOT IN (FROM before) AND (gaps > 0 OR $lexical)
), gap AS (
    SELECT
        rule_id,
        any_value(context_id) FILTER (position = 1) AS context_id,
        list(nonterminal_id ORDER BY position) AS fillers
    FROM slot
    WHERE rule_id IN (SELECT rule_id FROM chosen WHERE gaps > 1)
    GROUP BY rule_id
)
SELECT
    rule_id,
    lhs_id,
    []::INTEGER[] AS fillers,
    count,
    1::BIGINT AS rules,
    NULL::INTEGER AS context_id,
    lhs_id AS member_id
FROM chosen
WHERE gaps = 0
UNION ALL
SELECT chosen.rule_id, lhs_id, [slot.nonterminal_id], count, 1, slot.context_id, NULL
FROM chosen
JOIN slot ON slot.rule_id = chosen.rule_id
WHERE gaps = 1
UNION ALL
SELECT chosen.rule_id, lhs_id, gap.fillers, count, 1, gap.context_id, NULL
FROM chosen
JOIN gap ON gap.rule_id = chosen.rule_id
