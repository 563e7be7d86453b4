-- Invariant: ids follow the order of their tables: non-terminals by falling count, then source,
-- then target; rules by left-hand side; contexts by falling number of slots, then first use.
--
-- One row per id that stands after one that it should stand before.
WITH nonterminals AS (
    SELECT
        nonterminal_id, count, source, target,
        lag(count) OVER ids AS count_before,
        lag(source) OVER ids AS source_before,
        lag(target) OVER ids AS target_before
    FROM nonterminal
    WINDOW ids AS (ORDER BY nonterminal_id)
), rules AS (
    SELECT rule_id, lhs_id, lag(lhs_id) OVER (ORDER BY rule_id) AS lhs_before
    FROM rule
), first_uses AS (
    -- rule and position in one number, which is quicker to group and to compare
    SELECT context_id, count(*) AS uses, min(rule_id * 256 + position) AS first_use
    FROM slot
    GROUP BY context_id
), contexts AS (
    SELECT
        context_id, uses, first_use,
        lag(uses) OVER ids AS uses_before,
        lag(first_use) OVER ids AS first_before
    FROM first_uses
    WINDOW ids AS (ORDER BY context_id)
)
SELECT format('X{} ({} ||| {}, count {}) stands after {} ||| {}, count {}',
    nonterminal_id, source, target, count, source_before, target_before, count_before) AS what
FROM nonterminals
WHERE count > count_before
    OR count = count_before AND source < source_before
    OR count = count_before AND source = source_before AND target < target_before
UNION ALL
SELECT format('rule {} of X{} stands after a rule of X{}', rule_id, lhs_id, lhs_before)
FROM rules
WHERE lhs_id < lhs_before
UNION ALL
SELECT format('context {} has {} slots, the first in rule {}; the one before it {}, the first in rule {}',
    context_id, uses, first_use // 256, uses_before, first_before // 256)
FROM contexts
WHERE uses > uses_before OR uses = uses_before AND first_use < first_before;
