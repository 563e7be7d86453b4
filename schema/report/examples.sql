-- A sentence pair for each of some non-terminals, with where it stands there.
--   wanted  a table of their ids, nonterminal_id
--   $among  how many occurrences to choose from, the first ones
--   $words  how many words of the source are best: enough to see what goes on, and no more
--
-- One row per non-terminal.
--   nonterminal_id  the non-terminal
--   sentence_id, source_start, source_end, target_start, target_end
--                   as in occurrence
--   source, target  the words of the sentence pair
WITH early AS (
    SELECT occurrence.*
    FROM occurrence
    SEMI JOIN wanted USING (nonterminal_id)
    QUALIFY row_number() OVER (
        PARTITION BY nonterminal_id
        ORDER BY sentence_id, source_start, source_end, target_start, target_end
    ) <= $among
)
SELECT early.*, bitext.source, bitext.target
FROM early
JOIN bitext ON bitext.sentence_id = early.sentence_id
QUALIFY row_number() OVER (
    PARTITION BY nonterminal_id
    ORDER BY
        abs(len(string_split(bitext.source, ' ')) - $words),
        early.sentence_id, source_start, source_end, target_start, target_end
) = 1
ORDER BY nonterminal_id
