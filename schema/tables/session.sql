-- The sessions: named, durable sequences of steps over the grammar of this store.
--
-- One row per session.
--   session_id   from 1
--   name         unique, given by the user
--   parent_id    the session that this one branched from; NULL for a session of its own
--   forked_at    the last step that it shares with its parent; NULL without a parent
--   method       how its steps are chosen, such as `manual`
--   parameters   the parameters of the method, by name
--   signature    one line that names the method, its parameters, the grammar and the version
--   status       `open` or `closed`; a closed one takes no steps
--   created_at   when it was started, UTC
--   description  in the user's words, can be empty
--   last_step    the number of its last step; 0 before the first
--   last_hash    the hash of that step, see merge; 0 before the first
CREATE TABLE session (
    session_id INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    parent_id INTEGER,
    forked_at BIGINT CHECK (forked_at >= 0),
    method VARCHAR NOT NULL,
    parameters JSON NOT NULL,
    signature VARCHAR NOT NULL,
    status VARCHAR NOT NULL CHECK (status IN ('open', 'closed')),
    created_at TIMESTAMP NOT NULL,
    description VARCHAR NOT NULL,
    last_step BIGINT NOT NULL CHECK (last_step >= 0),
    last_hash UBIGINT NOT NULL,
    CHECK ((parent_id IS NULL) = (forked_at IS NULL))
);
