-- The stored rules as a translation grammar: each non-terminal shows the number of its class, and the
-- counts of rules that then read the same are added up.
--   named  a table of nonterminal_id and class_id, one row per non-terminal
--
-- One row per left-hand side and distinct right-hand side, in the columns of translation rules.
--
-- Words that look like gaps have a backslash already if they look like gaps of a store, `[X12,1]`;
-- those that look like gaps of other labels get one here. The only links known are those of gaps.
WITH class AS MATERIALIZED (
    SELECT list(class_id ORDER BY nonterminal_id) AS of FROM named
), contexts AS (
    SELECT
        context_id,
        escape_labels(source) AS source,
        escape_labels(target) AS target
    FROM context
), lexical AS (
    SELECT
        class.of[rule.lhs_id] AS lhs_id,
        escape_labels(nonterminal.source) AS source,
        escape_labels(nonterminal.target) AS target,
        '' AS alignment,
        rule.count
    FROM rule
    JOIN nonterminal ON nonterminal.nonterminal_id = rule.lhs_id
    CROSS JOIN class
    WHERE rule.gaps = 0
), one_gap AS (
    SELECT
        class.of[rule.lhs_id] AS lhs_id,
        slot.context_id,
        class.of[slot.nonterminal_id] AS filler_id,
        fsum(rule.count) AS count
    FROM rule
    JOIN slot ON slot.rule_id = rule.rule_id
    CROSS JOIN class
    WHERE rule.gaps = 1
    GROUP BY ALL
), gap AS (
    SELECT
        rule_id,
        any_value(context_id) FILTER (position = 1) AS context_id,
        list(nonterminal_id ORDER BY position) AS fillers
    FROM slot
    WHERE rule_id IN (SELECT rule_id FROM rule WHERE gaps > 1)
    GROUP BY rule_id
), more_gaps AS (
    SELECT
        class.of[rule.lhs_id] AS lhs_id,
        replace(gaps_renamed(source, fillers, list_select(class.of, fillers)), '[_]',
            format('[X{},1]', class.of[fillers[1]])) AS source,
        replace(gaps_renamed(target, fillers, list_select(class.of, fillers)), '[_]',
            format('[X{},1]', class.of[fillers[1]])) AS target,
        fsum(rule.count) AS count
    FROM rule
    JOIN gap ON gap.rule_id = rule.rule_id
    JOIN contexts ON contexts.context_id = gap.context_id
    CROSS JOIN class
    GROUP BY ALL
), rules AS (
    FROM lexical
    UNION ALL
    SELECT
        lhs_id,
        replace(source, '[_]', format('[X{},1]', filler_id)),
        replace(target, '[_]', format('[X{},1]', filler_id)),
        format('{}-{}',
            list_position(string_split(source, ' '), '[_]') - 1,
            list_position(string_split(target, ' '), '[_]') - 1),
        count
    FROM one_gap
    JOIN contexts ON contexts.context_id = one_gap.context_id
    UNION ALL
    SELECT
        lhs_id,
        source,
        target,
        array_to_string(list_transform(
            range(1, 1 + len(regexp_extract_all(source, '\[X[0-9]+,[0-9]+\]'))), lambda k:
            format('{}-{}', gap_place(source, k), gap_place(target, k))), ' '),
        count
    FROM more_gaps
)
SELECT
    'X' || lhs_id AS lhs,
    source,
    target,
    alignment,
    count,
    fsum(count) OVER (PARTITION BY source) AS source_count,
    fsum(count) OVER (PARTITION BY target) AS target_count,
    [
        least(count / fsum(count) OVER (PARTITION BY target), 1),
        least(count / fsum(count) OVER (PARTITION BY source), 1),
        least(count / fsum(count) OVER (PARTITION BY lhs_id), 1),
        1::DOUBLE
    ] AS features
FROM rules
