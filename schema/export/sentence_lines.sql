-- The lines of the grammars of sentences.
--
-- One row per sentence and rule that it can use, by sentence and line.
--   sentence  the number of the sentence
--   line      the line of the rule, with its line feed
SELECT used.sentence, made.line
FROM used
JOIN made ON made.number = used.number
ORDER BY used.sentence, made.line
