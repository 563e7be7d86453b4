SELECT session, count(*) AS members, count(DISTINCT leader_id) AS classes
FROM class_member
GROUP BY session
ORDER BY session
