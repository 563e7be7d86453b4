-- How many contexts a non-terminal fills.
--   $id  the n of Xn
--
-- One row.
SELECT count(*) AS contexts FROM slot WHERE nonterminal_id = $id
