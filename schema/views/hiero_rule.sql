-- The plain hierarchical grammar: all non-terminals become one, X, and the counts of rules that
-- then read the same are added up. Gaps are written `[X,1]`.
-- Needs: rule_text
--
-- One row per distinct right-hand side.
--   source, target  both sides
--   count           the sum of c(r)
--
-- A word that looks like a gap `[X12,1]` has a backslash after its bracket since the grammar was
-- made, so it stays as it is. A word that looks like `[X,1]` gets one here, by the same rule: one
-- more than it came with.
CREATE OR REPLACE VIEW hiero_rule AS
SELECT
    regexp_replace(
        regexp_replace(source, '\[(\\*X,[0-9]+\])', '[\\\1', 'g'),
        '\[X[0-9]+(,[0-9]+\])', '[X\1', 'g'
    ) AS source,
    regexp_replace(
        regexp_replace(target, '\[(\\*X,[0-9]+\])', '[\\\1', 'g'),
        '\[X[0-9]+(,[0-9]+\])', '[X\1', 'g'
    ) AS target,
    sum(count) AS count
FROM rule_text
GROUP BY ALL;
