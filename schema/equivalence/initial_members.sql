-- Step 1 for the initial grammar: every non-terminal is a class of its own.
--
-- Makes state_member: one row per non-terminal.
--   nonterminal_id, leader_id  the same
CREATE OR REPLACE TEMP TABLE state_member AS
SELECT nonterminal_id, nonterminal_id AS leader_id FROM nonterminal;
