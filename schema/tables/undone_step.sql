-- The steps that were undone and can be done again, as they were; any new step of the session
-- removes them.
--
-- One row per step undone.
--   session_id    the session
--   entry         what is done again at once; the greatest number is the next
--   rewritten     how many steps took their place: those of the session that did not depend on the
--                 step undone, which have been numbered anew; 0 where the last steps were undone
--   step          its number before
--   displaced_id  as in merge; NULL for a promotion
--   leader_id     as in merge; for a promotion the non-terminal promoted
--   reason, cause, hash
--                 as in merge
--   context_id, ..., depth
--                 as in evidence; all NULL for a step without
CREATE TABLE undone_step (
    session_id INTEGER NOT NULL,
    entry BIGINT NOT NULL CHECK (entry >= 1),
    rewritten BIGINT NOT NULL CHECK (rewritten >= 0),
    step BIGINT NOT NULL CHECK (step >= 1),
    displaced_id INTEGER,
    leader_id INTEGER NOT NULL,
    reason VARCHAR NOT NULL,
    cause BIGINT,
    hash UBIGINT NOT NULL,
    context_id INTEGER,
    filler1_id INTEGER,
    filler2_id INTEGER,
    lhs1_id INTEGER,
    lhs2_id INTEGER,
    c1 DOUBLE,
    big_c1 DOUBLE,
    c2 DOUBLE,
    big_c2 DOUBLE,
    d DOUBLE,
    bound DOUBLE,
    p_value DOUBLE,
    test VARCHAR,
    depth INTEGER
);
