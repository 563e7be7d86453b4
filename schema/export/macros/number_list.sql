-- Numbers as text, with a space after each: what number_text writes, but quicker. Infinity, and what
-- is not a number, have the letter n in it.
--
-- Parameters
--   numbers  a list; NULL is left out
--   digits   how many significant digits; NULL for as many as needed
--
-- One text.
CREATE OR REPLACE TEMP MACRO number_list(numbers, digits) AS
replace(
    CASE WHEN digits IS NULL THEN array_to_string(numbers::VARCHAR[], ' ')
    ELSE array_to_string(list_transform(numbers, lambda x: format('{:.' || digits || 'g}', x)), ' ')
    END || ' ',
    '.0 ', ' ');
