-- "[_] Haus" is filled by X2, X4 and X6, "das [_]" by X1, X6 and X7; other contexts have one filler.
-- C is 2 for X1 and X2, else 1.
SELECT * FROM candidates()
