-- Invariant: every id leads to a row: left-hand sides, fillers, contexts, glue, occurrences,
-- sentence pairs and all that sessions refer to; and every context is used.
--
-- One row per reference that leads nowhere.
SELECT format('rule {}: no left-hand side X{}', rule_id, lhs_id) AS what
FROM rule
WHERE NOT EXISTS (FROM nonterminal WHERE nonterminal.nonterminal_id = rule.lhs_id)
UNION ALL
SELECT format('slot {} of rule {}: no such rule', position, rule_id)
FROM slot
WHERE NOT EXISTS (FROM rule WHERE rule.rule_id = slot.rule_id)
UNION ALL
SELECT format('slot {} of rule {}: no filler X{}', position, rule_id, nonterminal_id)
FROM slot
WHERE NOT EXISTS (FROM nonterminal WHERE nonterminal.nonterminal_id = slot.nonterminal_id)
UNION ALL
SELECT format('slot {} of rule {}: no context {}', position, rule_id, context_id)
FROM slot
WHERE NOT EXISTS (FROM context WHERE context.context_id = slot.context_id)
UNION ALL
SELECT format('context {} is in no slot', context_id)
FROM context
WHERE NOT EXISTS (FROM slot WHERE slot.context_id = context.context_id)
UNION ALL
SELECT format('glue: no X{}', nonterminal_id)
FROM glue
WHERE NOT EXISTS (FROM nonterminal WHERE nonterminal.nonterminal_id = glue.nonterminal_id)
UNION ALL
SELECT format('occurrence in sentence pair {}: no X{}', sentence_id, nonterminal_id)
FROM occurrence
WHERE NOT EXISTS (FROM nonterminal WHERE nonterminal.nonterminal_id = occurrence.nonterminal_id)
UNION ALL
SELECT format('occurrence of X{}: no sentence pair {}', nonterminal_id, sentence_id)
FROM occurrence
WHERE NOT EXISTS (FROM bitext WHERE bitext.sentence_id = occurrence.sentence_id)
UNION ALL
SELECT format('skipped_sentence: no sentence pair {}', sentence_id)
FROM skipped_sentence
WHERE NOT EXISTS (FROM bitext WHERE bitext.sentence_id = skipped_sentence.sentence_id)
UNION ALL
SELECT format('session {}: no parent {}', session_id, parent_id)
FROM session
WHERE parent_id IS NOT NULL
    AND NOT EXISTS (FROM session AS parent WHERE parent.session_id = session.parent_id)
UNION ALL
SELECT format('{} {} of session {}: no such session', kind, step, session_id)
FROM (
    SELECT 'merge' AS kind, session_id, step FROM merge
    UNION ALL
    SELECT 'promotion', session_id, step FROM promotion
    UNION ALL
    SELECT 'evidence', session_id, step FROM evidence
) AS steps
WHERE NOT EXISTS (FROM session WHERE session.session_id = steps.session_id)
UNION ALL
SELECT format('{} {} of session {}: no X{}', kind, step, session_id, nonterminal_id)
FROM (
    SELECT 'merge' AS kind, session_id, step, unnest([displaced_id, leader_id]) AS nonterminal_id
    FROM merge
    UNION ALL
    SELECT 'promotion', session_id, step, nonterminal_id FROM promotion
    UNION ALL
    SELECT 'evidence', session_id, step, unnest([filler1_id, filler2_id, lhs1_id, lhs2_id])
    FROM evidence
) AS named
WHERE nonterminal_id IS NOT NULL
    AND NOT EXISTS (FROM nonterminal WHERE nonterminal.nonterminal_id = named.nonterminal_id)
UNION ALL
SELECT format('evidence {} of session {}: no such step', step, session_id)
FROM evidence
WHERE NOT EXISTS (
        FROM merge WHERE merge.session_id = evidence.session_id AND merge.step = evidence.step
    )
    AND NOT EXISTS (
        FROM promotion
        WHERE promotion.session_id = evidence.session_id AND promotion.step = evidence.step
    )
UNION ALL
SELECT format('evidence {} of session {}: no context {}', step, session_id, context_id)
FROM evidence
WHERE NOT EXISTS (FROM context WHERE context.context_id = evidence.context_id);
