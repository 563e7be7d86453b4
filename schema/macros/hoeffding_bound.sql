-- What the difference of two proportions, |c1/C1 - c2/C2|, must stay below in Hoeffding's test at
-- level alpha: sqrt(-ln(alpha / 2) (C1 + C2) / (2 C1 C2)).
-- Needs: theta
--
-- Parameters
--   big_c1, big_c2  the sizes of the samples, C1 and C2
--   alpha           the level, greater than 0 and at most 1
--
-- One number.
CREATE OR REPLACE MACRO hoeffding_bound(big_c1, big_c2, alpha) AS
    sqrt(theta(alpha) * (big_c1 + big_c2) / (big_c1::DOUBLE * big_c2));
