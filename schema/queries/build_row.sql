-- How the grammar was made.
--
-- One row.
SELECT * FROM build
