-- Invariant: nothing is there twice: non-terminals and contexts differ in text, rules differ in
-- text, a non-terminal has one lexical rule and one glue rule at most, and no occurrence repeats.
-- In an imported grammar rules that differ in their left-hand side can have the same text.
--
-- One row per thing that is there more than once.
SELECT format('non-terminal {} ||| {} is there {} times', source, target, count(*)) AS what
FROM nonterminal
GROUP BY source, target
HAVING count(*) > 1
UNION ALL
SELECT format('context {} ||| {} is there {} times', source, target, count(*))
FROM context
GROUP BY source, target
HAVING count(*) > 1
UNION ALL
-- A context and its filler are the right-hand side of one rule, in one slot of it.
SELECT format('X{} fills context {} in {} slots', nonterminal_id, context_id, count(*))
FROM slot
WHERE (SELECT any_value(options ->> 'imported') FROM build) IS NULL
GROUP BY nonterminal_id, context_id
HAVING count(*) > 1
UNION ALL
SELECT format('X{} fills context {} in {} slots of rules of X{}', nonterminal_id, context_id,
    count(*), lhs_id)
FROM slot
JOIN rule ON rule.rule_id = slot.rule_id
WHERE (SELECT any_value(options ->> 'imported') FROM build) IS NOT NULL
GROUP BY nonterminal_id, context_id, lhs_id
HAVING count(*) > 1
UNION ALL
SELECT format('X{} has {} lexical rules', lhs_id, count(*))
FROM rule
WHERE gaps = 0
GROUP BY lhs_id
HAVING count(*) > 1
UNION ALL
SELECT format('X{} has {} glue rules', nonterminal_id, count(*))
FROM glue
GROUP BY nonterminal_id
HAVING count(*) > 1
UNION ALL
SELECT format('X{} occurs {} times in the same place of sentence pair {}',
    nonterminal_id, count(*), sentence_id)
FROM occurrence
GROUP BY nonterminal_id, sentence_id, source_start, source_end, target_start, target_end
HAVING count(*) > 1;
