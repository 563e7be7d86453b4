-- The lines of a Moses rule table, in the order of their bytes.
--
-- Parameters
--   dense, sparse        the features to write, as places in the list of a rule. Moses takes the
--                        logarithms of dense ones, so what is no probability is written as its
--                        exponential; sparse ones, which a rule may lack, it takes as they are
--   dense_names, sparse_names
--                        their names
--   dense_logs, sparse_logs
--                        which of them are probabilities
--   entities             whether special characters become entities
--   digits               how many digits numbers have; NULL for all
--
-- One row per rule.
--   line    with its line feed; as it was read, if it was
--   number  that of the rule
SELECT
    coalesce(
        as_read,
        moses_words(source, $entities) || ' [X] ||| '
        || moses_words(target, $entities) || ' [' || CASE WHEN source = '' OR target = '' THEN error(concat('empty: ', lhs)) ELSE moses_token(lhs) END || ']'
        || filled(array_to_string(list_transform(list_select(features, $dense), lambda x, i:
            CASE
                WHEN x IS NULL THEN error(concat('lacking: ', $dense_names[i], ' of ', source))
                WHEN $dense_logs[i] THEN number_text(x, $digits)
                ELSE number_text(exp(x), $digits)
            END), ' '))
        || filled(alignment)
        || filled(concat_ws(' ',
            number_text(target_count, $digits),
            CASE WHEN target_count IS NOT NULL THEN number_text(source_count, $digits) END,
            CASE WHEN target_count IS NOT NULL AND source_count IS NOT NULL
                THEN number_text(count, $digits) END))
        || filled(coalesce(array_to_string(list_transform(list_select(features, $sparse), lambda x, i:
            CASE
                WHEN x IS NULL THEN NULL
                WHEN $sparse_logs[i] THEN $sparse_names[i] || ' ' || number_text(ln(x), $digits)
                ELSE $sparse_names[i] || ' ' || number_text(x, $digits)
            END), ' '), ''))
        || ' |||'
    ) || chr(10) AS line,
    number
FROM rules
ORDER BY line
