-- "[X1,1] [_] Haus" and "[X2,1] [_] Haus" have become the same.
SELECT leader_id, source, target, count
FROM class_context
WHERE session = 'one'
ORDER BY leader_id, source
