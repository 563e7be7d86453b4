-- Invariant: ids follow the order of their tables: non-terminals by falling count, then source,
-- then target; rules by left-hand side; contexts by first use.
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
    SELECT context_id, min(rule_id * 256 + position) AS first_use
    FROM slot
    GROUP BY context_id
), contexts AS (
    SELECT context_id, first_use, lag(first_use) OVER (ORDER BY context_id) AS use_before
    FROM first_uses
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
SELECT format('context {} is first used in rule {}, the one before it in rule {}',
    context_id, first_use // 256, use_before // 256)
FROM contexts
WHERE first_use < use_before;
