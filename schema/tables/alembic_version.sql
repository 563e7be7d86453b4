-- The revision of the schema, as Alembic keeps it (see migrations/).
--
-- One row per store.
--   version_num  the last migration that this file has gone through
CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL
);
