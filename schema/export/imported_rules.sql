-- How many rules were imported, those included that are there twice with other links.
--
-- One row.
SELECT count(*) AS rules FROM imported_rule
