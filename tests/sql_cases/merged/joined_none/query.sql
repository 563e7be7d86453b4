-- Not in one class; the same non-terminal twice; no such session; no such non-terminal.
SELECT * FROM joined('two', 1, 2)
UNION ALL
SELECT * FROM joined('one', 1, 1)
UNION ALL
SELECT * FROM joined('four', 1, 2)
UNION ALL
SELECT * FROM joined('one', 1, 77)
