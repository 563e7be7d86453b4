-- How many rules of a non-terminal the store has.
--   $id  the n of Xn
--
-- One row.
SELECT count(*) AS rules FROM rule WHERE lhs_id = $id
