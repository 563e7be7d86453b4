-- The tables of an attached database, as they would be written in a query.
--
-- Parameters
--   $database  the name that it is attached by
--
-- One row per table, without that database's name.
SELECT
    format('"{}"."{}"', replace(schema_name, '"', '""'), replace(table_name, '"', '""')) AS name
FROM duckdb_tables()
WHERE database_name = $database AND NOT internal
ORDER BY name;
