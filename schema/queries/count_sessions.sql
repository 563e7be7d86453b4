-- The number of sessions in the store.
--
-- One row.
SELECT count(*) FROM session
