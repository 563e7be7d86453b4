-- How many rules a ring has.
--   ring  made by graph/ring
--
-- One row.
SELECT count(*) AS rules FROM ring
