-- What the steps of a session must respect: pairs of non-terminals that must end up in one class,
-- and pairs that must never be in one.
--
-- One row per session, kind and pair.
--   session_id  the session; a branch starts with a copy of its parent's
--   kind        `must` or `cannot`
--   first_id    the smaller id of the pair
--   second_id   the greater
CREATE TABLE session_constraint (
    session_id INTEGER NOT NULL,
    kind VARCHAR NOT NULL CHECK (kind IN ('must', 'cannot')),
    first_id INTEGER NOT NULL,
    second_id INTEGER NOT NULL,
    CHECK (first_id < second_id)
);
