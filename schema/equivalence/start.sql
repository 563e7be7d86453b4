-- Step 4: empty tables for the pairs that will be reached and for what is found out about them.
--
-- Makes reached_pair: one row per pair of classes.
--   first_id, second_id                the classes; below the top the smaller id is first
--   depth                              steps from the top pair
--   parent_first_id, parent_second_id  the pair that led here; the smallest, if several of the
--                                      same depth did; NULL for the top pair
-- and class_rule: one row per class, context and class of left-hand sides.
--   class_id, context_id, lhs_class_id
--   c                                  the sum of the counts of such rules
-- and pair_comparison: one row per pair and context that either fills, columns as in comparisons.
CREATE OR REPLACE TEMP TABLE reached_pair (
    first_id INTEGER, second_id INTEGER, depth INTEGER,
    parent_first_id INTEGER, parent_second_id INTEGER
);
CREATE OR REPLACE TEMP TABLE class_rule (
    class_id INTEGER, context_id INTEGER, lhs_class_id INTEGER, c DOUBLE
);
CREATE OR REPLACE TEMP TABLE pair_comparison (
    depth INTEGER, first_id INTEGER, second_id INTEGER, context_id INTEGER,
    c1 DOUBLE, big_c1 DOUBLE, c2 DOUBLE, big_c2 DOUBLE,
    d DOUBLE, bound DOUBLE, test VARCHAR, p_value DOUBLE, equal BOOLEAN
);
