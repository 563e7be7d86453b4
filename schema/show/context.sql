-- One context.
--   $id  the context
--
-- One row: as in context, and how many non-terminals fill it.
SELECT context.*, (SELECT count(*) FROM slot WHERE slot.context_id = $id) AS fillers
FROM context
WHERE context_id = $id
