-- Invariant: the constraints of a session are there once each, name non-terminals that exist, and
-- hold: no group of classes that must merge has a pair that cannot.
-- Needs: class_member
--
-- One row per constraint where that is not so.
WITH RECURSIVE led AS MATERIALIZED (
    SELECT
        session_constraint.session_id,
        session_constraint.kind,
        session_constraint.first_id,
        session_constraint.second_id,
        one.leader_id AS first_leader,
        other.leader_id AS second_leader
    FROM session_constraint
    JOIN session ON session.session_id = session_constraint.session_id
    JOIN class_member AS one
        ON one.session = session.name AND one.nonterminal_id = session_constraint.first_id
    JOIN class_member AS other
        ON other.session = session.name AND other.nonterminal_id = session_constraint.second_id
), way AS (
    SELECT session_id, first_leader AS low, second_leader AS high FROM led WHERE kind = 'must'
    UNION
    SELECT session_id, second_leader, first_leader FROM led WHERE kind = 'must'
), reached AS (
    SELECT session_id, low, high FROM way
    UNION
    SELECT reached.session_id, reached.low, way.high
    FROM reached
    JOIN way ON way.session_id = reached.session_id AND way.low = reached.high
)
SELECT format('session {}: X{} and X{} cannot merge, but are or must be in one class',
    session_id, first_id, second_id) AS what
FROM led
WHERE kind = 'cannot'
    AND (
        first_leader = second_leader
        OR (session_id, first_leader, second_leader) IN (FROM reached)
    )
UNION ALL
SELECT format('session {}: {} of X{} and X{} is there {} times',
    session_id, kind, first_id, second_id, count(*))
FROM session_constraint
GROUP BY session_id, kind, first_id, second_id
HAVING count(*) > 1
UNION ALL
SELECT format('session {}: {} of X{} and X{}: no such session or non-terminal',
    session_id, kind, first_id, second_id)
FROM session_constraint
WHERE NOT EXISTS (FROM session WHERE session.session_id = session_constraint.session_id)
    OR NOT EXISTS (FROM nonterminal WHERE nonterminal_id = first_id)
    OR NOT EXISTS (FROM nonterminal WHERE nonterminal_id = second_id);
