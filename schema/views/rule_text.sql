-- The rules as text, gaps written `[X12,1]`: the non-terminal and its number in source order.
-- The text of a rule is its first context with the filler in the hole; a lexical rule reads as its
-- left-hand side does.
--
-- One row per rule.
--   rule_id, lhs_id  as in rule; the left-hand side is X followed by lhs_id
--   source, target   both sides of the right-hand side
--   count, gaps      as in rule
CREATE OR REPLACE VIEW rule_text AS
SELECT
    rule.rule_id,
    rule.lhs_id,
    nonterminal.source,
    nonterminal.target,
    rule.count,
    rule.gaps
FROM rule
JOIN nonterminal ON nonterminal.nonterminal_id = rule.lhs_id
WHERE rule.gaps = 0
UNION ALL
SELECT
    rule.rule_id,
    rule.lhs_id,
    replace(context.source, '[_]', '[X' || slot.nonterminal_id || ',1]') AS source,
    replace(context.target, '[_]', '[X' || slot.nonterminal_id || ',1]') AS target,
    rule.count,
    rule.gaps
FROM rule
JOIN slot ON slot.rule_id = rule.rule_id AND slot.position = 1
JOIN context ON context.context_id = slot.context_id
WHERE rule.gaps > 0;
