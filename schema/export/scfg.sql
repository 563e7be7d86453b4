-- The lines of a grammar as Joshua and cdec read it, by source side.
--
-- Parameters
--   chosen    the features to write, as places in the list of a rule
--   prefixes  what stands before their values: a name and `=`, or nothing
--   logs      which of them are probabilities, written as negative logarithms
--   base      of the logarithms: 10, or 0 for natural ones
--   entities  whether special characters become entities
--   digits    how many digits numbers have; NULL for all
--   most      the greatest number that a gap can have
--
-- One row per rule.
--   line    with its line feed; as it was read, if it was
--   number  that of the rule
WITH listed AS (
    -- Not inside of the CASE below: lists of some rows only are slow.
    SELECT
        *,
        gap_flags(source) AS gaps,
        coalesce(array_to_string(list_transform(list_select(features, $chosen), lambda x, i:
            $prefixes[i] || number_text(
                CASE WHEN NOT $logs[i] THEN x WHEN $base = 10 THEN -log10(x) ELSE -ln(x) END,
                $digits)), ' '), '') AS features_text
    FROM rules
), aligned AS (
    SELECT *, word_points(gaps, alignment) AS points FROM listed
)
SELECT
    coalesce(
        as_read,
        '['
        || CASE
            WHEN source = '' OR target = '' THEN error(concat('empty: ', lhs))
            WHEN len(list_filter(gaps, lambda gap: gap)) > $most THEN
                error(concat('gaps: ', source))
            ELSE scfg_token(lhs)
        END
        || '] ||| ' || scfg_words(source, $entities)
        || ' ||| ' || scfg_words(target, $entities)
        || filled(features_text)
        || CASE WHEN points = '' THEN '' ELSE ' ||| ' || points END
    ) || chr(10) AS line,
    number
FROM aligned
ORDER BY source, line
