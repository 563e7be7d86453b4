-- Invariant: the gaps of a rule are numbered from 1 in source order, and each is there once on
-- both sides.
-- Needs: rule_text
--
-- One row per rule with other gaps.
WITH numbered AS (
    SELECT
        rule_id, source, target, gaps,
        regexp_extract_all(source, '\[X[0-9]+,([0-9]+)\]', 1) AS source_gaps,
        regexp_extract_all(target, '\[X[0-9]+,([0-9]+)\]', 1) AS target_gaps
    FROM rule_text
    WHERE gaps > 1
)
SELECT format('rule {} with {} gaps reads "{} ||| {}"', rule_id, gaps, source, target) AS what
FROM numbered
WHERE source_gaps <> range(1, gaps + 1)::VARCHAR[]
    OR list_sort(target_gaps) <> range(1, gaps + 1)::VARCHAR[]
ORDER BY rule_id;
