-- The merges of all sessions, append-only. A non-terminal is displaced at most once in a session,
-- so the rows of a session are a forest: the class of a non-terminal as of a step is found by
-- climbing the links up to that step, and undo removes the last rows. A branch has rows of its own
-- only after its fork: the view session_step shows what each session sees.
--
-- One row per merge.
--   session_id    the session
--   step          from 1; merges and promotions of a session share one numbering
--   displaced_id  the non-terminal that gave way
--   leader_id     the non-terminal that stands for both from this step on
--   reason        why: `tested`, `forced` by another step, `manual`, `clustered`, or `must-merge` for
--                 a constraint of the session
--   cause         the step that forced this one; NULL for other reasons
--   hash          of the step, its evidence and the hash of the step before: see step_hash
CREATE TABLE merge (
    session_id INTEGER NOT NULL,
    step BIGINT NOT NULL CHECK (step >= 1),
    displaced_id INTEGER NOT NULL,
    leader_id INTEGER NOT NULL,
    reason VARCHAR NOT NULL
        CHECK (reason IN ('tested', 'forced', 'manual', 'clustered', 'must-merge')),
    cause BIGINT CHECK (cause >= 1 AND cause < step),
    hash UBIGINT NOT NULL,
    CHECK (displaced_id <> leader_id),
    CHECK ((reason = 'forced') = (cause IS NOT NULL))
);
