-- The contexts that hold some classes together: those that the most members fill.
--   state   a table of nonterminal_id and leader_id, one row per non-terminal
--   wanted  a table of the leaders of these classes, leader_id
--   $rows   the most contexts of a class
-- Needs: gaps_renamed
--
-- One row per class and context, the widest contexts of a class first.
--   leader_id       the class
--   source, target  the text of the context, with leaders in its other gaps
--   members         how many members of the class fill it
--   count           c(A, t), the sum over rules with a member of the class in this context
--   contexts        how many contexts the class fills in all
--
-- A class can fill millions of contexts, nearly all of them with one member: so the widest are
-- found by counting alone, and only their counts are added up.
WITH member AS MATERIALIZED (
    SELECT nonterminal_id, leader_id FROM state SEMI JOIN wanted USING (leader_id)
), several AS MATERIALIZED (
    SELECT rule_id FROM rule WHERE gaps > 1
), one_gap AS (
    -- A context and its filler make one rule: rows are members.
    SELECT member.leader_id, slot.context_id, count(*) AS members
    FROM slot
    JOIN member ON member.nonterminal_id = slot.nonterminal_id
    WHERE slot.rule_id NOT IN (FROM several)
    GROUP BY ALL
), gap AS (
    SELECT
        slot.rule_id,
        list(slot.nonterminal_id ORDER BY position) AS fillers,
        list(state.leader_id ORDER BY position) AS leaders
    FROM slot
    JOIN state ON state.nonterminal_id = slot.nonterminal_id
    WHERE slot.rule_id IN (FROM several)
    GROUP BY slot.rule_id
), more_gaps AS MATERIALIZED (
    SELECT
        member.leader_id,
        gaps_renamed(context.source, gap.fillers, gap.leaders) AS source,
        gaps_renamed(context.target, gap.fillers, gap.leaders) AS target,
        min(slot.context_id) AS context_id,
        count(DISTINCT slot.nonterminal_id) AS members,
        fsum(rule.count) AS count
    FROM gap
    JOIN rule ON rule.rule_id = gap.rule_id
    JOIN slot ON slot.rule_id = gap.rule_id
    JOIN member ON member.nonterminal_id = slot.nonterminal_id
    JOIN context ON context.context_id = slot.context_id
    GROUP BY ALL
), filled AS (
    SELECT leader_id, context_id, members FROM one_gap
    UNION ALL
    SELECT leader_id, context_id, members FROM more_gaps
), widest AS (
    -- Of contexts with as many members the one with the smaller id comes first.
    SELECT
        leader_id,
        count(*) AS contexts,
        unnest(max(struct_pack(members := members, minus_id := -context_id), $rows)) AS top
    FROM filled
    GROUP BY leader_id
), found AS MATERIALIZED (
    SELECT leader_id, contexts, top.members AS members, -top.minus_id AS context_id FROM widest
), counted AS (
    SELECT member.leader_id, slot.context_id, fsum(rule.count) AS count
    FROM slot
    JOIN member ON member.nonterminal_id = slot.nonterminal_id
    JOIN rule ON rule.rule_id = slot.rule_id
    WHERE slot.context_id IN (SELECT context_id FROM found)
    GROUP BY ALL
)
SELECT
    found.leader_id,
    coalesce(more_gaps.source, context.source) AS source,
    coalesce(more_gaps.target, context.target) AS target,
    found.members,
    coalesce(more_gaps.count, counted.count) AS count,
    found.contexts
FROM found
JOIN context ON context.context_id = found.context_id
LEFT JOIN more_gaps
    ON more_gaps.leader_id = found.leader_id AND more_gaps.context_id = found.context_id
LEFT JOIN counted
    ON counted.leader_id = found.leader_id AND counted.context_id = found.context_id
ORDER BY found.leader_id, found.members DESC, found.context_id
