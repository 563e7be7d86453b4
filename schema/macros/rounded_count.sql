-- A count as a whole number, for Fisher's test: half to even. Counts are sums of fractions, so that
-- 1.5 may come as 1.4999999999999998: they are first rounded to multiples of 2^-30.
--
-- Parameters
--   c  the count
--
-- One number, a whole one kept as DOUBLE.
CREATE OR REPLACE MACRO rounded_count(c) AS
    round_even(round_even(c::DOUBLE * 1073741824, 0) / 1073741824, 0);
