-- 2/3 (1/6)^2; 50 (3/10)^2; a count of 3/2 out of 1 is taken as 1 out of 1: 1/2 1^2
SELECT
    dissimilarity(0, 1, 1 / 3, 2) AS paper,
    dissimilarity(50, 100, 80, 100) AS hundred,
    dissimilarity(3 / 2, 1, 0, 1) AS clamped,
    dissimilarity(NULL, 1, 0, 1) AS missing
