-- The sessions: named, durable sequences of steps over the grammar of this store.
--
-- One row per session.
--   session_id  from 1
--   name        unique, given by the user
--   parent_id   the session that this one branched from; NULL for a session of its own
--   forked_at   the last step that it shares with its parent; NULL without a parent
--   method      how its steps are chosen, such as `blue-fringe`
--   parameters  the parameters of the method, by name
--   signature   one line that names the grammar, the method and its parameters
--   status      how far it is, such as `running` or `finished`
--   created_at  when it was started, UTC
CREATE TABLE session (
    session_id INTEGER NOT NULL,
    name VARCHAR NOT NULL,
    parent_id INTEGER,
    forked_at BIGINT,
    method VARCHAR NOT NULL,
    parameters JSON NOT NULL,
    signature VARCHAR NOT NULL,
    status VARCHAR NOT NULL,
    created_at TIMESTAMP NOT NULL
);
