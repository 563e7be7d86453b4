-- What a dissimilarity must stay below in Hoeffding's test at level alpha: -ln(alpha / 2) / 2.
--
-- Parameters
--   alpha  the level, greater than 0 and at most 1; else an error
--
-- One number.
CREATE OR REPLACE MACRO theta(alpha) AS
    if(alpha > 0 AND alpha <= 1,
        (ln(2) - ln(alpha)) / 2,
        error('alpha must be greater than 0 and at most 1, not ' || alpha));
