-- The lines of a Moses rule table, in the order of their bytes.
--
-- Parameters
--   dense, sparse        the features to write, as places in the list of a rule. Moses takes the
--                        logarithms of dense ones, so what is no probability is written as its
--                        exponential; sparse ones, which a rule may lack, it takes as they are
--   sparse_names         the names of the latter
--   dense_logs, sparse_logs
--                        which of them are probabilities
--   entities             whether special characters become entities
--   digits               how many digits numbers have; NULL for all
--
-- One row per rule.
--   line    with its line feed; as it was read, if it was
--   number  that of the rule
WITH listed AS (
    -- Not inside of the CASE below: lists of some rows only are slow.
    SELECT
        *,
        list_count(list_select(features, $dense)) AS dense_features,
        CASE
            WHEN len($dense) = 0 THEN ''
            WHEN list_bool_and($dense_logs) THEN
                number_list(list_select(features, $dense), $digits)
            ELSE number_list(list_transform(list_select(features, $dense), lambda x, i:
                CASE WHEN $dense_logs[i] THEN x ELSE exp(x) END), $digits)
        END AS dense_text,
        CASE
            WHEN len($sparse) = 0 THEN ''
            ELSE coalesce(array_to_string(list_transform(list_select(features, $sparse),
                lambda x, i: $sparse_names[i] || ' '
                    || number_text(CASE WHEN $sparse_logs[i] THEN ln(x) ELSE x END, $digits)), ' '),
                '')
        END AS sparse_text
    FROM rules
)
SELECT
    coalesce(
        as_read,
        moses_words(source, $entities) || ' [X] ||| '
        || moses_words(target, $entities) || ' ['
        || CASE
            WHEN source = '' OR target = '' THEN error(concat('empty: ', lhs))
            WHEN dense_features < len($dense) THEN error(concat('lacking: ', source))
            WHEN contains(dense_text, 'n') THEN error(concat('infinite: ', dense_text))
            ELSE moses_token(lhs)
        END
        || ']'
        || filled(rtrim(dense_text))
        || filled(alignment)
        || filled(concat_ws(' ',
            number_text(target_count, $digits),
            CASE WHEN target_count IS NOT NULL THEN number_text(source_count, $digits) END,
            CASE WHEN target_count IS NOT NULL AND source_count IS NOT NULL
                THEN number_text(count, $digits) END))
        || filled(sparse_text)
        || ' |||'
    ) || chr(10) AS line,
    number
FROM listed
ORDER BY line
