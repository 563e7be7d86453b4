-- The left-hand side and the count of the rules that have slots, in the order in which they are
-- stored: what the kernels of the equivalence tests know of a slot beside itself.
--
-- One row per rule with a gap.
SELECT rule_id, lhs_id, count
FROM rule
WHERE gaps > 0
