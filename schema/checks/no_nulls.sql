-- Invariant: no column is NULL that must have a value.
--
-- One row per row with such a NULL.
SELECT 'bitext: ' || bitext::VARCHAR AS what
FROM bitext
WHERE sentence_id IS NULL OR source IS NULL OR target IS NULL OR alignment IS NULL
UNION ALL
SELECT 'skipped_sentence: ' || skipped_sentence::VARCHAR
FROM skipped_sentence
WHERE sentence_id IS NULL OR reason IS NULL
UNION ALL
SELECT 'nonterminal: ' || nonterminal::VARCHAR
FROM nonterminal
WHERE nonterminal_id IS NULL OR source IS NULL OR target IS NULL OR count IS NULL
    OR rule_count IS NULL OR height IS NULL OR sentences IS NULL
UNION ALL
SELECT 'occurrence: ' || occurrence::VARCHAR
FROM occurrence
WHERE nonterminal_id IS NULL OR sentence_id IS NULL OR source_start IS NULL
    OR source_end IS NULL OR target_start IS NULL OR target_end IS NULL
UNION ALL
SELECT 'glue: ' || glue::VARCHAR
FROM glue
WHERE nonterminal_id IS NULL OR count IS NULL
UNION ALL
SELECT 'context: ' || context::VARCHAR
FROM context
WHERE context_id IS NULL OR source IS NULL OR target IS NULL OR energy IS NULL
UNION ALL
SELECT 'rule: ' || rule::VARCHAR
FROM rule
WHERE rule_id IS NULL OR lhs_id IS NULL OR count IS NULL OR gaps IS NULL
UNION ALL
SELECT 'slot: ' || slot::VARCHAR
FROM slot
WHERE rule_id IS NULL OR position IS NULL OR nonterminal_id IS NULL OR context_id IS NULL
UNION ALL
SELECT 'build: ' || build::VARCHAR
FROM build
WHERE version IS NULL OR signature IS NULL OR options IS NULL OR inputs IS NULL
    OR sentences IS NULL OR skipped IS NULL
UNION ALL
SELECT 'session: ' || session::VARCHAR
FROM session
WHERE session_id IS NULL OR name IS NULL OR method IS NULL OR parameters IS NULL
    OR signature IS NULL OR status IS NULL OR created_at IS NULL
UNION ALL
SELECT 'merge: ' || merge::VARCHAR
FROM merge
WHERE session_id IS NULL OR step IS NULL OR displaced_id IS NULL OR leader_id IS NULL
    OR reason IS NULL
UNION ALL
SELECT 'promotion: ' || promotion::VARCHAR
FROM promotion
WHERE session_id IS NULL OR step IS NULL OR nonterminal_id IS NULL OR reason IS NULL
UNION ALL
SELECT 'evidence: ' || evidence::VARCHAR
FROM evidence
WHERE session_id IS NULL OR step IS NULL OR context_id IS NULL OR filler1_id IS NULL
    OR filler2_id IS NULL OR c1 IS NULL OR big_c1 IS NULL OR c2 IS NULL OR big_c2 IS NULL
    OR d IS NULL OR bound IS NULL OR test IS NULL OR depth IS NULL;
