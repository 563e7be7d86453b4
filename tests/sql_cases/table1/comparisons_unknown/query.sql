SELECT * FROM comparisons(7, 8, 0.05)
