-- Everything that a database defines: for comparing two of them.
--
-- One row per column, constraint, index, view and macro.
--   kind    what it is
--   name    its name; a column's with its table's
--   detail  all that is said about it, as text
SELECT
    'column' AS kind,
    table_name || '.' || column_name AS name,
    concat_ws(' ', column_index, data_type, if(is_nullable, 'NULL', 'NOT NULL'), column_default)
        AS detail
FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
UNION ALL
SELECT 'constraint', table_name, constraint_type || ' ' || constraint_text
FROM duckdb_constraints()
WHERE database_name = current_database() AND schema_name = 'main'
UNION ALL
SELECT 'index', index_name, sql
FROM duckdb_indexes()
WHERE database_name = current_database() AND schema_name = 'main'
UNION ALL
SELECT 'view', view_name, sql
FROM duckdb_views()
WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
UNION ALL
SELECT 'macro', function_name, concat_ws(' ', function_type, parameters, macro_definition)
FROM duckdb_functions()
WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
ORDER BY ALL;
