-- The contexts: right-hand sides of rules (both sides) with one slot turned into a hole.
--
-- One row per distinct context, by text.
--   context_id      from 1, by falling number of slots, then first use by rule_id and position: what
--                   two non-terminals share has a small id, so a query for it reads little
--   source, target  tokens joined by one space; the hole is `[_]`, another gap is `[X12,2]`: its
--                   non-terminal and its number in source order
--   energy          the sum of c(r)^2 / C(filler) over its slots: no Hoeffding comparison in this
--                   context can have a dissimilarity above it
CREATE TABLE context (
    context_id INTEGER NOT NULL,
    source VARCHAR NOT NULL,
    target VARCHAR NOT NULL,
    -- not a number counts as greater than infinity, so this keeps both out
    energy DOUBLE NOT NULL CHECK (energy > 0 AND energy < 'infinity'::DOUBLE)
);
