-- What a gap `[X3,1]` looks like in the text of a rule: its label, then its number. Words that look
-- like one have a backslash after the bracket, so nothing else matches.
--
-- One regular expression.
CREATE OR REPLACE TEMP MACRO gap_pattern() AS '\[([^\[\], \\]+),([0-9]+)\]';
