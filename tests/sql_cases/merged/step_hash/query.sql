-- By whole numbers in Python: for each word, mixed = (hash ^ word) * 0xBF58476D1CE4E5B9 % 2**64, and
-- hash = mixed ^ mixed >> 32; NULL is 2**64 - 1.
SELECT
    step_hash(0::UBIGINT, [1, 2, 3]::UBIGINT[]) AS three_words,
    step_hash(7::UBIGINT, [NULL]::UBIGINT[]) AS no_value
