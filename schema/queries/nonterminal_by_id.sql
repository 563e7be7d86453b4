-- A non-terminal by its id.
--   $id  the n of Xn
--
-- One row, or none.
SELECT * FROM nonterminal WHERE nonterminal_id = $id
