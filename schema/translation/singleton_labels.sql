-- The labels of phrase pairs of one source word that are seen once.
--   phrase  a table of source, target, label and count; one row per text and label
--
-- One row per label of such a phrase pair, by label.
--   label     the number of the label
--   phrases   how many have it
WITH seen_once AS (
    SELECT any_value(label) AS label
    FROM phrase
    GROUP BY source, target
    HAVING sum(count) = 1
)
SELECT label, count(*) AS phrases
FROM seen_once
GROUP BY label
ORDER BY label
