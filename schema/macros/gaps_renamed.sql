-- The text of a rule or context with other non-terminals in its gaps: `[X12,2]` becomes `[X5,2]`.
--
-- Parameters
--   words     the text
--   old, new  lists of ids, of the non-terminals in the gaps of the rule before and after, in the
--             order of gaps; rules have at most four
--
-- One value.
CREATE OR REPLACE MACRO gaps_renamed(words, old, new) AS
replace(replace(replace(replace(words,
    format('[X{},1]', old[1]), format('[X{},1]', new[1])),
    coalesce(format('[X{},2]', old[2]), ''), coalesce(format('[X{},2]', new[2]), '')),
    coalesce(format('[X{},3]', old[3]), ''), coalesce(format('[X{},3]', new[3]), '')),
    coalesce(format('[X{},4]', old[4]), ''), coalesce(format('[X{},4]', new[4]), ''));
