-- Whether the grammar of a store is over word classes.
--
-- One row.
SELECT count(*) > 0 AS classes
FROM bitext
WHERE source_classes IS NOT NULL OR target_classes IS NOT NULL
