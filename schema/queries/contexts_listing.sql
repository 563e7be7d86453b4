-- The contexts that a non-terminal fills.
--   $id  the n of Xn;  $rows  the most rows
--
-- One row per context, by falling count.
SELECT * FROM contexts_of($id) ORDER BY c DESC, context_id LIMIT $rows
