-- the paper's example: "neue Haus" (C = 1) against "Haus" (C = 2). In the context that they share both
-- have 1/6; the two contexts of "Haus" alone are tested against 0.
SELECT * REPLACE (equal::VARCHAR AS equal) FROM comparisons(7, 1, 0.05, fisher_below := 0)
