-- Step 2: the count of each class.
--
-- Makes state_class: one row per class.
--   class_id  the id of its leader
--   count     C, the sum over its members
CREATE OR REPLACE TEMP TABLE state_class AS
SELECT state_member.leader_id AS class_id, sum(nonterminal.count)::DOUBLE AS count
FROM nonterminal
JOIN state_member ON state_member.nonterminal_id = nonterminal.nonterminal_id
GROUP BY ALL;
