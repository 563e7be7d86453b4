-- Invariant: what was undone belongs to a session, in entries from 1, each of steps that follow one
-- another; and the last entry can follow the steps that the session has.
--
-- One row per entry where that is not so.
WITH entries AS (
    SELECT
        session_id,
        entry,
        min(step) AS first,
        count(*) = max(step) - min(step) + 1 AND count(DISTINCT step) = count(*)
            AND count(DISTINCT rewritten) = 1 AS whole,
        any_value(rewritten) AS rewritten,
        row_number() OVER (PARTITION BY session_id ORDER BY entry) AS place,
        entry = max(entry) OVER (PARTITION BY session_id) AS is_next
    FROM undone_step
    GROUP BY session_id, entry
)
SELECT format('entry {} of session {}', entries.entry, entries.session_id) AS what
FROM entries
LEFT JOIN session ON session.session_id = entries.session_id
WHERE session.session_id IS NULL
    OR entries.entry <> entries.place
    OR NOT entries.whole
    OR entries.is_next AND entries.first + entries.rewritten <> session.last_step + 1
ORDER BY entries.session_id, entries.entry;
