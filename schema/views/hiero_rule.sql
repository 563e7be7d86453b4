-- The plain hierarchical grammar: all non-terminals become one, X, and the counts of rules that
-- then read the same are added up. It is rule_text with every gap `[X12,1]` as `[X,1]`; to be
-- quick, rules with the same first context are added up before any text is made.
--
-- One row per distinct right-hand side.
--   source, target  both sides
--   count           the sum of c(r)
--
-- A word that looks like a gap `[X12,1]` has a backslash after its bracket since the grammar was
-- made, so it stays as it is. A word that looks like `[X,1]` gets one here, by the same rule: one
-- more than it came with.
CREATE OR REPLACE VIEW hiero_rule AS
WITH by_context AS (
    SELECT slot.context_id, fsum(rule.count) AS count
    FROM slot
    JOIN rule ON rule.rule_id = slot.rule_id
    WHERE slot.position = 1
    GROUP BY slot.context_id
), with_holes AS (
    SELECT context.source, context.target, by_context.count
    FROM by_context
    JOIN context ON context.context_id = by_context.context_id
    UNION ALL
    SELECT nonterminal.source, nonterminal.target, rule.count
    FROM rule
    JOIN nonterminal ON nonterminal.nonterminal_id = rule.lhs_id
    WHERE rule.gaps = 0
), texts AS (
    -- Most texts have neither another gap nor such a word: looking is quicker than replacing.
    SELECT
        CASE WHEN contains(source, 'X') THEN
            regexp_replace(
                regexp_replace(source, '\[(\\*X,[0-9]+\])', '[\\\1', 'g'),
                '\[X[0-9]+(,[0-9]+\])', '[X\1', 'g'
            )
        ELSE source END AS source,
        CASE WHEN contains(target, 'X') THEN
            regexp_replace(
                regexp_replace(target, '\[(\\*X,[0-9]+\])', '[\\\1', 'g'),
                '\[X[0-9]+(,[0-9]+\])', '[X\1', 'g'
            )
        ELSE target END AS target,
        count
    FROM with_holes
)
SELECT
    replace(source, '[_]', '[X,1]') AS source,
    replace(target, '[_]', '[X,1]') AS target,
    fsum(count) AS count
FROM texts
GROUP BY ALL;
