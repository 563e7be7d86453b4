-- The rules of a ring with classes for non-terminals: rules that then read the same become one.
--   ring   made by graph/ring
--   state  one row with a list, leaders: the leader of X12 is leaders[12]
-- Needs: gaps_renamed
--
-- One row per left-hand side and distinct right-hand side; columns as in graph/ring.
--   rule_id  the first of the rules
--   count    the sum of c(r)
--   rules    how many rules
--
-- Contexts are distinct by text, so that a rule with one gap is told by its context and classes. With
-- more gaps, contexts become the same as classes merge: text decides, as in the view merged_rule. A
-- lexical rule reads as its left-hand side did, so no two read the same.
CREATE OR REPLACE TEMP TABLE ring AS
WITH labelled AS (
    SELECT
        rule_id,
        leaders[lhs_id] AS lhs_id,
        list_select(leaders, fillers) AS fillers,
        fillers AS members,
        count,
        context_id,
        member_id
    FROM ring
    CROSS JOIN state
)
SELECT rule_id, lhs_id, fillers, count, 1::BIGINT AS rules, context_id, member_id
FROM labelled
WHERE len(fillers) = 0
UNION ALL
SELECT min(rule_id), lhs_id, [fillers[1]], fsum(count), count(*), context_id, NULL
FROM labelled
WHERE len(fillers) = 1
GROUP BY lhs_id, fillers[1], context_id
UNION ALL
SELECT min(rule_id), lhs_id, fillers, fsum(count), count(*), arg_min(context_id, rule_id), NULL
FROM (
    SELECT
        labelled.*,
        gaps_renamed(context.source, members, fillers) AS source,
        gaps_renamed(context.target, members, fillers) AS target
    FROM labelled
    JOIN context ON context.context_id = labelled.context_id
    WHERE len(fillers) > 1
)
GROUP BY lhs_id, fillers, source, target
