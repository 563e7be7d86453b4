-- Invariant: an occurrence lies within its sentence pair, on both sides, and the words there (or
-- their classes, where given) are the text of its non-terminal.
--
-- One row per occurrence with other text.
WITH sentences AS (
    SELECT
        sentence_id,
        words_of(escape_symbols(coalesce(source_classes, source))) AS source,
        words_of(escape_symbols(coalesce(target_classes, target))) AS target
    FROM bitext
)
SELECT format('X{} ({} ||| {}) does not stand in sentence pair {} at {}-{} ||| {}-{}',
    occurrence.nonterminal_id, nonterminal.source, nonterminal.target, occurrence.sentence_id,
    source_start, source_end, target_start, target_end) AS what
FROM occurrence
JOIN nonterminal ON nonterminal.nonterminal_id = occurrence.nonterminal_id
JOIN sentences ON sentences.sentence_id = occurrence.sentence_id
WHERE source_end > len(sentences.source)
    OR target_end > len(sentences.target)
    OR source_start >= source_end
    OR target_start >= target_end
    OR nonterminal.source <> array_to_string(sentences.source[source_start + 1 : source_end], ' ')
    OR nonterminal.target <> array_to_string(sentences.target[target_start + 1 : target_end], ' ')
ORDER BY occurrence.nonterminal_id, occurrence.sentence_id;
