-- A context with labels in its gaps: the hole becomes `[NP,1]`, `[X12,2]` becomes `[VP,2]`.
--
-- Parameters
--   words   a side of the first context of a rule
--   ids     the ids of the non-terminals in the gaps of the rule, in their order; at most four
--   labels  the labels that they have
--
-- One text.
CREATE OR REPLACE TEMP MACRO labelled_gaps(words, ids, labels) AS
replace(replace(replace(replace(words,
    '[_]', '[' || labels[1] || ',1]'),
    coalesce(format('[X{},2]', ids[2]), ''), coalesce('[' || labels[2] || ',2]', '')),
    coalesce(format('[X{},3]', ids[3]), ''), coalesce('[' || labels[3] || ',3]', '')),
    coalesce(format('[X{},4]', ids[4]), ''), coalesce('[' || labels[4] || ',4]', ''));
