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
SELECT
    coalesce(
        as_read,
        '[' || CASE WHEN source = '' OR target = '' THEN error(concat('empty: ', lhs)) ELSE scfg_token(lhs) END || '] ||| '
        || CASE
            WHEN contains(source, '[')
                AND list_max(regexp_extract_all(source, gap_pattern(), 2)::INTEGER[]) > $most
            THEN error(concat('gaps: ', source))
            ELSE scfg_words(source, $entities)
        END
        || ' ||| ' || scfg_words(target, $entities)
        || filled(coalesce(array_to_string(list_transform(list_select(features, $chosen), lambda x, i:
            CASE
                WHEN x IS NULL THEN NULL
                WHEN NOT $logs[i] THEN $prefixes[i] || number_text(x, $digits)
                WHEN $base = 10 THEN $prefixes[i] || number_text(-log10(x), $digits)
                ELSE $prefixes[i] || number_text(-ln(x), $digits)
            END), ' '), ''))
        || coalesce(' ||| ' || nullif(word_points(source, alignment), ''), '')
    ) || chr(10) AS line,
    number
FROM rules
ORDER BY source, line
