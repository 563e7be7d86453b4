-- How far apart two proportions are, c1 of C1 and c2 of C2, for what the samples can tell:
-- D = C1 C2 / (C1 + C2) (c1/C1 - c2/C2)^2. In Hoeffding's test they are equal if D < theta(alpha).
--
-- Parameters
--   c1, big_c1  how often in the first sample, and its size; a count above its size is taken as that
--   c2, big_c2  the same of the second
--
-- One number.
CREATE OR REPLACE MACRO dissimilarity(c1, big_c1, c2, big_c2) AS
    big_c1::DOUBLE * big_c2 / (big_c1 + big_c2)
    * pow(if(c1 > big_c1, 1, c1 / big_c1) - if(c2 > big_c2, 1, c2 / big_c2), 2);
