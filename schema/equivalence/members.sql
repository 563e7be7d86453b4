-- Step 1: the state, that is, which leader stands for each non-terminal.
--   $leaders  the name of a table or view with columns nonterminal_id and leader_id; a non-terminal
--             that it does not have is alone in its class
--
-- Makes state_member: one row per non-terminal.
--   nonterminal_id  the member
--   leader_id       the leader of its class, which names the class
CREATE OR REPLACE TEMP TABLE state_member AS
SELECT
    nonterminal.nonterminal_id,
    coalesce(given.leader_id, nonterminal.nonterminal_id)::INTEGER AS leader_id
FROM nonterminal
LEFT JOIN query_table($leaders) AS given ON given.nonterminal_id = nonterminal.nonterminal_id;
