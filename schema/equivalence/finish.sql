-- Afterwards: drop the temporary tables of all steps.
DROP VIEW IF EXISTS state_text;
DROP TABLE IF EXISTS state_member;
DROP TABLE IF EXISTS state_class;
DROP TABLE IF EXISTS state_context;
DROP TABLE IF EXISTS reached_pair;
DROP TABLE IF EXISTS class_rule;
DROP TABLE IF EXISTS pair_comparison;
