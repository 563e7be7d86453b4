-- A table in two numbers: equal tables have equal ones, whatever the order of their rows, and
-- different tables hardly ever do.
--
-- Parameters
--   $table_name  the table, as it would be written in a query
--
-- One row.
SELECT count(*) AS row_count, coalesce(sum(hash(whole_row)::HUGEINT), 0) AS hash_sum
FROM query_table($table_name) AS whole_row;
