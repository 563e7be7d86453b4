-- Sentence pairs in which a non-terminal occurs, with where it stands.
--   $id  the n of Xn;  $rows  the most rows
--
-- One row per occurrence, in the order of the bitext.
SELECT o.*, b.source, b.target, b.alignment, b.source_classes, b.target_classes
FROM (
    FROM occurrence
    WHERE nonterminal_id = $id
    ORDER BY sentence_id, source_start, source_end, target_start, target_end
    LIMIT $rows
) AS o
JOIN bitext AS b USING (sentence_id)
ORDER BY sentence_id, source_start, source_end, target_start, target_end
