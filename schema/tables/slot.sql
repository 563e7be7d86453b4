-- The slots: which non-terminal fills which gap of which rule, and in which context.
--
-- One row per gap of a rule; a lexical rule has none.
--   rule_id         the rule
--   position        from 1, in source order
--   nonterminal_id  the filler
--   context_id      the rule's right-hand side with this slot turned into a hole
CREATE TABLE slot (
    rule_id BIGINT NOT NULL,
    position UTINYINT NOT NULL,
    nonterminal_id INTEGER NOT NULL,
    context_id INTEGER NOT NULL
);
