-- the hub apart, X1 and X2 share two contexts, and both share one of them with X4
SELECT * FROM candidates(max_fillers := 4)
