-- When and why did two non-terminals come into one class? The merge that joined their classes, with
-- the comparison that decided it.
-- Needs: session_step
--
-- Parameters
--   session_name  the session
--   a, b          the non-terminals, such as 5 and 9 for X5 and X9
--
-- One row; none if they are not in one class now.
--   step, displaced_id, leader_id, reason, cause  the merge: see merge
--   context_source, context_target                the context compared; NULL without evidence
--   c1, big_c1, c2, big_c2, d, bound, test, p_value, depth
--                                                 the comparison: see evidence
--
-- Of the links above a and those above b, what they do not share is the way from the one to the
-- other, and the last merge on it joined them. Both lists are made in leaps that double each round,
-- as links are climbed in the view class_leaders.
CREATE OR REPLACE MACRO joined(session_name, a, b) AS TABLE
WITH RECURSIVE link AS MATERIALIZED (
    SELECT step, displaced_id, leader_id, reason, cause, owner_id
    FROM session_step
    WHERE session = session_name AND kind = 'merge'
), climb AS (
    SELECT
        list(coalesce(link.leader_id, nonterminal_id) ORDER BY nonterminal_id) AS leaders,
        [a] AS above_a,
        [b] AS above_b,
        0 AS round,
        false AS arrived
    FROM nonterminal
    LEFT JOIN link ON link.displaced_id = nonterminal_id
    UNION ALL
    SELECT
        further,
        above_a || list_select(leaders, above_a),
        above_b || list_select(leaders, above_b),
        round + 1,
        further = leaders
    FROM (SELECT *, list_select(leaders, leaders) AS further FROM climb)
    WHERE NOT arrived AND round < 32
), last AS MATERIALIZED (
    SELECT * FROM climb WHERE arrived
), above AS (
    SELECT DISTINCT unnest(above_a) AS nonterminal_id FROM last
    UNION ALL
    SELECT DISTINCT unnest(above_b) FROM last
), way AS (
    SELECT nonterminal_id FROM above GROUP BY nonterminal_id HAVING count(*) = 1
)
SELECT
    link.step,
    link.displaced_id,
    link.leader_id,
    link.reason,
    link.cause,
    context.source AS context_source,
    context.target AS context_target,
    evidence.c1,
    evidence.big_c1,
    evidence.c2,
    evidence.big_c2,
    evidence.d,
    evidence.bound,
    evidence.test,
    evidence.p_value,
    evidence.depth
FROM link
LEFT JOIN evidence ON evidence.session_id = link.owner_id AND evidence.step = link.step
LEFT JOIN context ON context.context_id = evidence.context_id
WHERE link.step = (SELECT max(step) FROM link WHERE displaced_id IN (FROM way))
    AND (SELECT leaders[a] = leaders[b] FROM last);
