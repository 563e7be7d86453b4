-- Two rules collapse in one gap, 4 and 20, and two in two gaps, 11 and 22.
SELECT lhs_id, source, target, count
FROM merged_rule
WHERE session = 'one'
ORDER BY lhs_id, source
