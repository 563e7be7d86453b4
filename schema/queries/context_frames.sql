-- Contexts that differ only in which non-terminals stand in their other gaps share a frame.
-- Needed for rules with two or more gaps, where contexts become equal as classes merge.
--
-- One row per context, by id.
SELECT
    context_id,
    dense_rank() OVER (
        ORDER BY
            -- X0 is no non-terminal, and a word that looks like a gap has a backslash: no mix-up
            regexp_replace(source, '\[X[0-9]+(,[0-9]+\])', '[X0\1', 'g'),
            regexp_replace(target, '\[X[0-9]+(,[0-9]+\])', '[X0\1', 'g')
    )::INTEGER AS frame
FROM context
ORDER BY context_id
