-- 5/143 < 0.035; 1/4 is not below 1/4; |1/2 - 4/5| exceeds the bound
SELECT outcome.d, outcome.bound, outcome.test, outcome.p_value, outcome.equal::VARCHAR AS equal
FROM (VALUES
    (compare_proportions(8, 10, 1, 6, 0.035)),
    (compare_proportions(1, 1, 0, 3, 0.25)),
    (compare_proportions(50, 100, 80, 100, 0.05)),
    (compare_proportions(8, 10, 1, 6, 0.035, fisher_below := 6))
) AS t (outcome)
