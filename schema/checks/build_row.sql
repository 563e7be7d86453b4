-- Invariant: the table build has exactly one row, and its numbers are those of bitext and
-- skipped_sentence.
--
-- One row per number that is wrong.
WITH found AS (
    SELECT
        (SELECT count(*) FROM build) AS builds,
        (SELECT count(*) FROM bitext) AS sentences,
        (SELECT count(*) FROM skipped_sentence) AS skipped
)
SELECT format('build has {} rows', builds) AS what
FROM found
WHERE builds <> 1
UNION ALL
SELECT format('build says {} sentence pairs, bitext has {}', build.sentences, found.sentences)
FROM build, found
WHERE build.sentences <> found.sentences
UNION ALL
SELECT format('build says {} skipped, skipped_sentence has {}', build.skipped, found.skipped)
FROM build, found
WHERE build.skipped <> found.skipped;
