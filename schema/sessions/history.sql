-- The last steps of a session, with text.
--   $id    the session
--   $rows  how many
-- Needs: session_step
--
-- One row per step, in order.
--   step, kind       see session_step
--   displaced, leader  the non-terminals, such as X12
--   displaced_text, leader_text
--                    the same as source ||| target
--   reason, cause    see merge
--   test, d, p_value the comparison that decided, if there was one: see evidence
WITH last AS (
    SELECT *
    FROM session_step
    WHERE session_id = $id
    ORDER BY step DESC
    LIMIT $rows
)
SELECT
    last.step,
    last.kind,
    'X' || last.displaced_id AS displaced,
    'X' || last.leader_id AS leader,
    low.source || ' ||| ' || low.target AS displaced_text,
    high.source || ' ||| ' || high.target AS leader_text,
    last.reason,
    last.cause,
    evidence.test,
    evidence.d,
    evidence.p_value
FROM last
LEFT JOIN nonterminal AS low ON low.nonterminal_id = last.displaced_id
LEFT JOIN nonterminal AS high ON high.nonterminal_id = last.leader_id
LEFT JOIN evidence ON evidence.session_id = last.owner_id AND evidence.step = last.step
ORDER BY last.step
