-- The comparison that decided a step: for a merge the one of greatest dissimilarity, for a
-- promotion the failing one against the most likely partner.
--
-- At most one row per step.
--   session_id, step        the merge or promotion
--   context_id              the context compared
--   filler1_id, filler2_id  the two non-terminals compared in it
--   lhs1_id, lhs2_id        the left-hand sides of their rules; NULL where there is no such rule
--   c1, big_c1, c2, big_c2  c(A, t) and C(A) of the first, then of the second
--   d                       the dissimilarity C1 C2 / (C1 + C2) (c1 / C1 - c2 / C2)^2
--   bound                   what |c1/C1 - c2/C2| must stay below to pass the Hoeffding test
--   p_value                 of Fisher's exact test; NULL where it was not used
--   test                    `hoeffding` or `fisher`
--   depth                   0 for the pair of the step, 1 for left-hand sides of its rules, ...
CREATE TABLE evidence (
    session_id INTEGER NOT NULL,
    step BIGINT NOT NULL,
    context_id INTEGER NOT NULL,
    filler1_id INTEGER NOT NULL,
    filler2_id INTEGER NOT NULL,
    lhs1_id INTEGER,
    lhs2_id INTEGER,
    c1 DOUBLE NOT NULL,
    big_c1 DOUBLE NOT NULL,
    c2 DOUBLE NOT NULL,
    big_c2 DOUBLE NOT NULL,
    d DOUBLE NOT NULL CHECK (d >= 0 AND d < 'infinity'::DOUBLE),
    bound DOUBLE NOT NULL CHECK (bound < 'infinity'::DOUBLE),
    p_value DOUBLE CHECK (p_value >= 0 AND p_value <= 1),
    test VARCHAR NOT NULL CHECK (test IN ('hoeffding', 'fisher')),
    depth INTEGER NOT NULL CHECK (depth >= 0)
);
