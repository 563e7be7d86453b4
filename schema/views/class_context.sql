-- The contexts of each class of each session as it is now. In contexts of rules with several gaps
-- the other gaps show the leaders of their classes, so that contexts become the same.
-- Needs: class_leaders, gaps_renamed
--
-- One row per session, class and distinct context that a member of the class fills.
--   session         the name of the session
--   leader_id       the class
--   source, target  the text of the context
--   count           c(A, t), the sum over rules with a member of the class in this context
CREATE OR REPLACE VIEW class_context AS
WITH class AS MATERIALIZED (
    FROM class_leaders
), one_gap AS (
    SELECT
        session,
        leaders[slot.nonterminal_id] AS leader_id,
        slot.context_id,
        fsum(rule.count) AS count
    FROM rule
    JOIN slot ON slot.rule_id = rule.rule_id
    CROSS JOIN class
    WHERE rule.gaps = 1
    GROUP BY ALL
), gap AS (
    SELECT rule_id, list(nonterminal_id ORDER BY position) AS fillers
    FROM slot
    WHERE rule_id IN (SELECT rule_id FROM rule WHERE gaps > 1)
    GROUP BY rule_id
), more_gaps AS (
    SELECT
        session,
        leaders[slot.nonterminal_id] AS leader_id,
        slot.context_id,
        gap.fillers,
        list_select(leaders, gap.fillers) AS leaders,
        rule.count
    FROM rule
    JOIN gap ON gap.rule_id = rule.rule_id
    JOIN slot ON slot.rule_id = rule.rule_id
    CROSS JOIN class
)
SELECT one_gap.session, one_gap.leader_id, context.source, context.target, one_gap.count
FROM one_gap
JOIN context ON context.context_id = one_gap.context_id
UNION ALL
SELECT
    session,
    leader_id,
    gaps_renamed(source, fillers, leaders) AS source,
    gaps_renamed(target, fillers, leaders) AS target,
    fsum(count)
FROM more_gaps
JOIN context ON context.context_id = more_gaps.context_id
GROUP BY ALL;
