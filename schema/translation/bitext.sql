-- The bitext, to extract from it once more.
--
-- One row per sentence pair, in the order of the input, as in the table bitext.
SELECT source, target, alignment, source_classes, target_classes
FROM bitext
ORDER BY sentence_id
