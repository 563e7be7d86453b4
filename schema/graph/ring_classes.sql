-- The classes in the rules of a ring.
--   ring  made by graph/ring
--
-- One row per class.
SELECT lhs_id AS leader_id FROM ring
UNION
SELECT unnest(fillers) FROM ring
