-- 3/2 of 1 is taken as 1 of 1. Against 0 of 3 that has p = 1/4: equal at that level, not above.
SELECT context_id, c1, p1, c2, p2, d, p_value, equal::VARCHAR AS equal FROM comparisons(2, 1, 0.25)
UNION ALL
SELECT context_id, c1, p1, c2, p2, d, p_value, equal::VARCHAR FROM comparisons(2, 1, 0.2501)
