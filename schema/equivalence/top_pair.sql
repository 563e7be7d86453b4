-- Step 5: the pair of classes in question. A class is equivalent to itself: that is no pair.
--   $a, $b  non-terminals of the two classes
--
-- Adds to reached_pair.
INSERT INTO reached_pair
SELECT member1.leader_id, member2.leader_id, 0, NULL, NULL
FROM state_member AS member1
JOIN state_member AS member2 ON member2.leader_id <> member1.leader_id
WHERE member1.nonterminal_id = $a AND member2.nonterminal_id = $b;
