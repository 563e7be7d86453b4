-- All tables with the margins of the one seen, by hand: C(n, x) C(m, k - x) ways each.
--   8 of 10, 1 of 6:       extreme are x = 8 (270 ways), x = 9 (10) and x = 3 (120) of 11,440
--   0 of 1, 1 of 1:        two tables, equally likely
--   1/2 of 1, 3/2 of 2:    0 of 1 and 2 of 2 when rounded; one way against two
--   5 of 1, 0 of 3:        1 of 1 when clamped; one way against three
--   0 of 10, 3 of 20:      1,140 ways, and 900 and 120 that are fewer, of 4,060
--   counts that round to 0, a missing count, and more tables than the macro goes through
SELECT fisher_p(c1, big_c1, c2, big_c2) AS p
FROM (VALUES
    (8, 10, 1, 6),
    (0, 1, 1, 1),
    (0.5, 1, 1.5, 2),
    (5, 1, 0, 3),
    (0, 10, 10/3, 20),
    (1/6, 1, 1/3, 2),
    (NULL, 1, 0, 3),
    (1, NULL, 0, 3),
    (1500, 3000, 1400, 3000)
) AS t (c1, big_c1, c2, big_c2)
