-- Whether word classes stood for words on a side when the grammar was made.
--
-- One row.
SELECT EXISTS (
    FROM bitext WHERE source_classes IS NOT NULL OR target_classes IS NOT NULL
) AS in_classes
