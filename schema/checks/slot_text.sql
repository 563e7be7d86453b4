-- Invariant: with the text of the filler in the hole of its context, and the text of the other
-- fillers in the other gaps, a slot reads as the left-hand side of its rule, on both sides. The
-- left-hand sides of an imported grammar are labels, which have many texts.
--
-- One row per slot that reads otherwise. (Rules have at most four gaps.)
WITH single AS (
    SELECT
        slot.rule_id, slot.position, slot.context_id, rule.lhs_id,
        replace(context.source, '[_]', filler.source) AS source,
        replace(context.target, '[_]', filler.target) AS target
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id AND rule.gaps = 1
    JOIN context ON context.context_id = slot.context_id
    JOIN nonterminal AS filler ON filler.nonterminal_id = slot.nonterminal_id
), fillers AS (
    SELECT
        rule_id,
        max(nonterminal_id) FILTER (position = 1) AS id1,
        max(nonterminal_id) FILTER (position = 2) AS id2,
        max(nonterminal_id) FILTER (position = 3) AS id3,
        max(nonterminal_id) FILTER (position = 4) AS id4
    FROM slot
    GROUP BY rule_id
    HAVING count(*) > 1
), marked AS (
    -- all gaps of the rule as `[X12,1]`, the hole too
    SELECT
        slot.rule_id, slot.position, slot.context_id, rule.lhs_id, id1, id2, id3, id4,
        format('[X{},{}]', slot.nonterminal_id, slot.position) AS gap,
        replace(context.source, '[_]', gap) AS source,
        replace(context.target, '[_]', gap) AS target
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id AND rule.gaps > 1
    JOIN context ON context.context_id = slot.context_id
    JOIN fillers ON fillers.rule_id = slot.rule_id
), several AS (
    SELECT
        rule_id, position, context_id, lhs_id,
        replace(replace(replace(replace(marked.source,
            format('[X{},1]', id1), one.source),
            format('[X{},2]', id2), two.source),
            format('[X{},3]', coalesce(id3, 0)), coalesce(three.source, '')),
            format('[X{},4]', coalesce(id4, 0)), coalesce(four.source, '')) AS source,
        replace(replace(replace(replace(marked.target,
            format('[X{},1]', id1), one.target),
            format('[X{},2]', id2), two.target),
            format('[X{},3]', coalesce(id3, 0)), coalesce(three.target, '')),
            format('[X{},4]', coalesce(id4, 0)), coalesce(four.target, '')) AS target
    FROM marked
    JOIN nonterminal AS one ON one.nonterminal_id = id1
    JOIN nonterminal AS two ON two.nonterminal_id = id2
    LEFT JOIN nonterminal AS three ON three.nonterminal_id = id3
    LEFT JOIN nonterminal AS four ON four.nonterminal_id = id4
)
SELECT format('rule {} of X{} reads "{} ||| {}" by slot {}, X{} is "{} ||| {}"', rule_id, lhs_id,
    read.source, read.target, position, lhs_id, lhs.source, lhs.target) AS what
FROM (FROM single UNION ALL FROM several) AS read
JOIN nonterminal AS lhs ON lhs.nonterminal_id = read.lhs_id
WHERE (read.source <> lhs.source OR read.target <> lhs.target)
    AND (SELECT any_value(options ->> 'imported') FROM build) IS NULL
ORDER BY rule_id, position;
