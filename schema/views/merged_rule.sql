-- The grammar of each session as it is now: non-terminals are shown by the leaders of their
-- classes, and the counts of rules that then read the same are added up. They sum to the same
-- total as those of the initial grammar.
-- Needs: class_leaders, gaps_renamed
--
-- One row per session, left-hand side and distinct right-hand side.
--   session         the name of the session
--   lhs_id          the class on the left-hand side
--   source, target  both sides of the right-hand side, gaps written as in rule_text
--   count           the sum of c(r)
--
-- Rules with one gap, nearly all there are, are added up before any text is made: contexts are
-- distinct by text.
CREATE OR REPLACE VIEW merged_rule AS
WITH class AS MATERIALIZED (
    FROM class_leaders
), one_gap AS (
    SELECT
        session,
        leaders[rule.lhs_id] AS lhs_id,
        slot.context_id,
        leaders[slot.nonterminal_id] AS filler_id,
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
        session,
        leaders[rule.lhs_id] AS lhs_id,
        gap.context_id,
        gap.fillers,
        list_select(leaders, gap.fillers) AS leaders,
        rule.count
    FROM rule
    JOIN gap ON gap.rule_id = rule.rule_id
    CROSS JOIN class
)
-- A lexical rule reads as its left-hand side does, so no two read the same.
SELECT
    session,
    leaders[rule.lhs_id] AS lhs_id,
    nonterminal.source,
    nonterminal.target,
    rule.count
FROM rule
JOIN nonterminal ON nonterminal.nonterminal_id = rule.lhs_id
CROSS JOIN class
WHERE rule.gaps = 0
UNION ALL
SELECT
    one_gap.session,
    one_gap.lhs_id,
    replace(context.source, '[_]', format('[X{},1]', one_gap.filler_id)),
    replace(context.target, '[_]', format('[X{},1]', one_gap.filler_id)),
    one_gap.count
FROM one_gap
JOIN context ON context.context_id = one_gap.context_id
UNION ALL
SELECT
    session,
    lhs_id,
    replace(gaps_renamed(source, fillers, leaders), '[_]', format('[X{},1]', leaders[1])) AS source,
    replace(gaps_renamed(target, fillers, leaders), '[_]', format('[X{},1]', leaders[1])) AS target,
    fsum(count)
FROM more_gaps
JOIN context ON context.context_id = more_gaps.context_id
GROUP BY ALL;
