-- A side of a rule with non-terminals of a store in its gaps: `[NP,1]` becomes `[X12,1]`.
--
-- Parameters
--   words   the side of a rule
--   labels  the labels of its gaps, in the order of their numbers; at most four
--   ids     the ids of the non-terminals
--
-- One text.
CREATE OR REPLACE TEMP MACRO numbered_gaps(words, labels, ids) AS
replace(replace(replace(replace(words,
    format('[{},1]', labels[1]), format('[X{},1]', ids[1])),
    coalesce(format('[{},2]', labels[2]), ''), coalesce(format('[X{},2]', ids[2]), '')),
    coalesce(format('[{},3]', labels[3]), ''), coalesce(format('[X{},3]', ids[3]), '')),
    coalesce(format('[{},4]', labels[4]), ''), coalesce(format('[X{},4]', ids[4]), ''));
