-- The rules. Their text is in the view rule_text: a context with its filler put in, or, for a
-- lexical rule (no gap), the text of the left-hand side.
--
-- One row per rule.
--   rule_id  from 1, by left-hand side
--   lhs_id   the non-terminal on the left
--   count    c(r), the rule's share of the count of its left-hand side
--   gaps     how many slots it has
CREATE TABLE rule (
    rule_id BIGINT NOT NULL,
    lhs_id INTEGER NOT NULL,
    -- not a number counts as greater than infinity, so this keeps both out
    count DOUBLE NOT NULL CHECK (count > 0 AND count < 'infinity'::DOUBLE),
    gaps UTINYINT NOT NULL
);
