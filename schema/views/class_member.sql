-- The classes of all sessions as they are now. For one session out of many, and for earlier steps,
-- the macro classes_at is quicker.
-- Needs: class_leaders
--
-- One row per session and non-terminal.
--   session         the name of the session
--   nonterminal_id  the member
--   leader_id       the leader of its class, which names the class
CREATE OR REPLACE VIEW class_member AS
SELECT
    session,
    unnest(range(1, len(leaders) + 1))::INTEGER AS nonterminal_id,
    unnest(leaders) AS leader_id
FROM class_leaders;
