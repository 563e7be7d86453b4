-- Invariant: every session has an id and a name of its own.
--
-- One row per id or name that several sessions have.
SELECT format('session id {} is there {} times', session_id, count(*)) AS what
FROM session
GROUP BY session_id
HAVING count(*) > 1
UNION ALL
SELECT format('session name "{}" is there {} times', name, count(*))
FROM session
GROUP BY name
HAVING count(*) > 1;
