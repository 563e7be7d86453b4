-- The promotions of all sessions, append-only: steps in which a non-terminal was found to be like
-- no other and became one that others can be merged into.
--
-- One row per promotion.
--   session_id      the session
--   step            from 1; merges and promotions of a session share one numbering
--   nonterminal_id  the non-terminal promoted, the leader of its class
--   reason          why, as in merge
--   cause           the step that forced this one; NULL for other reasons
--   hash            as in merge
CREATE TABLE promotion (
    session_id INTEGER NOT NULL,
    step BIGINT NOT NULL CHECK (step >= 1),
    nonterminal_id INTEGER NOT NULL,
    reason VARCHAR NOT NULL
        CHECK (reason IN ('tested', 'forced', 'manual', 'clustered', 'must-merge')),
    cause BIGINT CHECK (cause >= 1 AND cause < step),
    hash UBIGINT NOT NULL,
    CHECK ((reason = 'forced') = (cause IS NOT NULL))
);
