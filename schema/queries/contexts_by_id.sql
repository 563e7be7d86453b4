-- The text of some contexts.
--   wanted  a table of their ids, context_id
--
-- One row per context.
SELECT context_id, source, target FROM context JOIN wanted USING (context_id)
