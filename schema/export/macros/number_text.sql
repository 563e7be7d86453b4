-- A number as the shortest text that gives the same number again, or with fewer digits.
--
-- Parameters
--   x       the number
--   digits  how many significant digits; NULL for as many as needed
--
-- One text; an error for infinity and for what is not a number.
CREATE OR REPLACE TEMP MACRO number_text(x, digits) AS
CASE
    WHEN NOT isfinite(x) THEN error(concat('infinite: ', x))
    WHEN x = trunc(x) AND abs(x) < 1e15 THEN x::BIGINT::VARCHAR
    WHEN digits IS NULL THEN x::VARCHAR
    ELSE format('{:.' || digits || 'g}', x)
END;
