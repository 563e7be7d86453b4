-- The promotions of all sessions, append-only: steps in which a non-terminal was found to be like
-- no other and became one that others can be merged into.
--
-- One row per promotion.
--   session_id      the session
--   step            from 1; merges and promotions of a session share one numbering
--   nonterminal_id  the non-terminal promoted
--   reason          why, such as `equivalent to none`
CREATE TABLE promotion (
    session_id INTEGER NOT NULL,
    step BIGINT NOT NULL CHECK (step >= 1),
    nonterminal_id INTEGER NOT NULL,
    reason VARCHAR NOT NULL
);
