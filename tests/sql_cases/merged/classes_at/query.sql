SELECT 0 AS step, * FROM classes_at('three', 0)
UNION ALL
SELECT 2, * FROM classes_at('three', 2) WHERE nonterminal_id <> leader_id
UNION ALL
SELECT 3, * FROM classes_at('three', 3) WHERE nonterminal_id <> leader_id
UNION ALL
SELECT 99, * FROM classes_at('two') WHERE nonterminal_id <> leader_id
ORDER BY ALL
