-- The most frequent rules of a ring.
--   ring   made by graph/ring
--   $rows  the most rows
--
-- One row per rule, by falling count, then id; columns as in graph/ring.
--
-- Sums of floats differ in the last digits from run to run, which must not change the order.
SELECT * FROM ring ORDER BY round(count, 6) DESC, rule_id LIMIT $rows
