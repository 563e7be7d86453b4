-- All slots, in the order in which they are stored: what the kernels of the equivalence tests work
-- on. Whether that is the order of rules and positions is for the reader to see, as a sort here
-- would cost more than the rest.
--
-- One row per slot.
SELECT rule_id, position, context_id, nonterminal_id
FROM slot
