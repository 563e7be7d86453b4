-- X2 and X6 came together in three when X1, which X2 had joined before, was merged into X6.
SELECT 'two' AS session, * FROM joined('two', 6, 2)
UNION ALL
SELECT 'three', * FROM joined('three', 2, 6)
UNION ALL
SELECT 'three', * FROM joined('three', 1, 2)
