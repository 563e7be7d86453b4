-- The stored rules as a translation grammar: each non-terminal shows the label of its class, and the
-- counts of rules that then read the same are added up.
--   named  a table of nonterminal_id and label, one row per non-terminal. In an imported grammar the
--          phrase pairs of lexical rules have no label: NP -> X12, X12 -> (Haus, house) are one rule
--
-- One row per left-hand side and distinct right-hand side, in the columns of translation rules. As
-- there, the label on the left belongs to the target side, and which gap is which does not.
--
-- Words that look like gaps have a backslash already if they look like gaps of a store, `[X12,1]`;
-- those that look like gaps of other labels get one here. The only links known are those of gaps.
WITH class AS MATERIALIZED (
    SELECT list(label ORDER BY nonterminal_id) AS labels FROM named
), contexts AS (
    SELECT
        context_id,
        escape_labels(source) AS source,
        escape_labels(target) AS target
    FROM context
), lexical AS (
    SELECT labels[rule.lhs_id] AS lhs, rule.lhs_id AS phrase_id, rule.count
    FROM rule
    CROSS JOIN class
    WHERE rule.gaps = 0 AND labels[rule.lhs_id] IS NOT NULL
    UNION ALL
    SELECT labels[rule.lhs_id] AS lhs, slot.nonterminal_id, fsum(rule.count)
    FROM rule
    JOIN slot ON slot.rule_id = rule.rule_id
    CROSS JOIN class
    WHERE rule.gaps = 1 AND labels[slot.nonterminal_id] IS NULL
    GROUP BY ALL
), one_gap AS (
    SELECT
        labels[rule.lhs_id] AS lhs,
        slot.context_id,
        labels[slot.nonterminal_id] AS filler,
        fsum(rule.count) AS count
    FROM rule
    JOIN slot ON slot.rule_id = rule.rule_id
    CROSS JOIN class
    WHERE rule.gaps = 1 AND labels[slot.nonterminal_id] IS NOT NULL
    GROUP BY ALL
), gap AS (
    SELECT
        rule_id,
        any_value(context_id) FILTER (position = 1) AS context_id,
        list(nonterminal_id ORDER BY position) AS ids
    FROM slot
    WHERE rule_id IN (SELECT rule_id FROM rule WHERE gaps > 1)
    GROUP BY rule_id
), more_gaps AS (
    SELECT
        labels[rule.lhs_id] AS lhs,
        labelled_gaps(source, ids, list_select(labels, ids)) AS source,
        labelled_gaps(target, ids, list_select(labels, ids)) AS target,
        rule.gaps,
        fsum(rule.count) AS count
    FROM rule
    JOIN gap ON gap.rule_id = rule.rule_id
    JOIN contexts ON contexts.context_id = gap.context_id
    CROSS JOIN class
    GROUP BY ALL
), rules AS (
    SELECT
        lexical.lhs,
        escape_labels(nonterminal.source) AS source,
        escape_labels(nonterminal.target) AS target,
        '' AS alignment,
        lexical.count
    FROM lexical
    JOIN nonterminal ON nonterminal.nonterminal_id = lexical.phrase_id
    UNION ALL
    SELECT
        lhs,
        replace(source, '[_]', '[' || filler || ',1]'),
        replace(target, '[_]', '[' || filler || ',1]'),
        format('{}-{}',
            list_position(string_split(source, ' '), '[_]') - 1,
            list_position(string_split(target, ' '), '[_]') - 1),
        count
    FROM one_gap
    JOIN contexts ON contexts.context_id = one_gap.context_id
    UNION ALL
    SELECT
        lhs,
        source,
        target,
        array_to_string(list_transform(range(1, 1 + gaps), lambda k:
            format('{}-{}', gap_place(source, k), gap_place(target, k))), ' '),
        count
    FROM more_gaps
)
SELECT
    lhs,
    source,
    target,
    alignment,
    count,
    fsum(count) OVER (PARTITION BY source) AS source_count,
    fsum(count) OVER target_side AS target_count,
    [
        least(count / fsum(count) OVER target_side, 1),
        least(count / fsum(count) OVER (PARTITION BY source), 1),
        least(count / fsum(count) OVER (PARTITION BY lhs), 1),
        1::DOUBLE
    ] AS features
FROM rules
WINDOW target_side AS (PARTITION BY lhs, unnumbered_gaps(target))
