-- C is 2 for X1 and X2 and 1 for the other five.
SELECT session, sum(count) AS total FROM merged_rule GROUP BY session ORDER BY session
