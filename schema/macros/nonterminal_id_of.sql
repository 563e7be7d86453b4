-- The id of the non-terminal with a given text.
--
-- Parameters
--   u, v  the source and target text of its phrase pair, as in nonterminal
--
-- One value; NULL where there is no such non-terminal.
CREATE OR REPLACE MACRO nonterminal_id_of(u, v) AS (
    SELECT nonterminal_id FROM nonterminal WHERE source = u AND target = v
);
