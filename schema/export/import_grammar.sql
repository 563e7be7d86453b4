-- Fill an empty store with a grammar made elsewhere.
--   given  a table of lhs, source, target, alignment, count and features: translation rules
--
-- A store has one lexical rule for each phrase pair, and a label has many. So labels and the phrase
-- pairs of lexical rules are both non-terminals: NP -> (Haus, house) becomes NP -> X12 and
-- X12 -> (Haus, house). The text of a label is `[NP]` on both sides.

-- Rules that are there twice, with other links, are one.
CREATE TEMP TABLE one_rule AS
SELECT
    lhs,
    source,
    target,
    regexp_extract_all(source, gap_pattern(), 1) AS labels,
    fsum(count) AS count
FROM given
GROUP BY lhs, source, target;

CREATE TEMP TABLE counted AS
WITH label AS (
    SELECT lhs AS label, fsum(count) AS count, count(*) AS rules FROM one_rule GROUP BY lhs
), filler AS (
    SELECT label, fsum(count) AS count
    FROM (SELECT unnest(labels) AS label, count FROM one_rule)
    GROUP BY label
)
SELECT
    '[' || coalesce(label.label, filler.label) || ']' AS source,
    '[' || coalesce(label.label, filler.label) || ']' AS target,
    coalesce(label.label, filler.label) AS label,
    coalesce(label.count, filler.count) AS count,
    coalesce(label.rules, 0) AS rules
FROM label
FULL JOIN filler ON filler.label = label.label
UNION ALL
SELECT store_words(source), store_words(target), NULL, fsum(count), 1
FROM one_rule
WHERE labels = []
GROUP BY source, target;

INSERT INTO nonterminal
SELECT
    row_number() OVER (ORDER BY greatest(ceil(count), 1) DESC, source, target),
    CASE WHEN count(*) OVER (PARTITION BY source, target) > 1
        THEN error(concat('clash: ', source)) ELSE source END,
    target,
    greatest(ceil(count), 1),
    rules,
    CASE WHEN label IS NULL OR rules = 0 THEN 0 ELSE 1 END,
    1
FROM counted;

CREATE TEMP TABLE label_id AS
SELECT counted.label, nonterminal.nonterminal_id AS id
FROM counted
JOIN nonterminal ON nonterminal.source = counted.source AND nonterminal.target = counted.target
WHERE counted.label IS NOT NULL;

-- All rules of the store; gaps are still labels, but for the one of a phrase pair.
CREATE TEMP TABLE made AS
WITH phrase AS (
    SELECT one_rule.*, nonterminal.nonterminal_id
    FROM one_rule
    JOIN nonterminal ON nonterminal.source = store_words(one_rule.source)
        AND nonterminal.target = store_words(one_rule.target)
    WHERE labels = []
), fillers AS (
    -- By number: the same label can be there twice.
    SELECT
        lhs, source, target,
        list(label_id.id ORDER BY place) AS ids
    FROM (
        SELECT lhs, source, target, unnest(labels) AS label,
            generate_subscripts(labels, 1) AS place
        FROM one_rule
    )
    JOIN label_id USING (label)
    GROUP BY lhs, source, target
), every AS (
    SELECT nonterminal_id AS lhs_id, NULL AS source, NULL AS target, []::INTEGER[] AS ids,
        fsum(count) AS count, NULL AS given_lhs, source AS given_source, target AS given_target
    FROM phrase
    GROUP BY ALL
    UNION ALL
    SELECT label_id.id, '[_]', '[_]', [nonterminal_id], count, lhs, source, target
    FROM phrase
    JOIN label_id ON label_id.label = phrase.lhs
    UNION ALL
    SELECT
        label_id.id,
        store_words(numbered_gaps(one_rule.source, labels, ids)),
        store_words(numbered_gaps(one_rule.target, labels, ids)),
        ids, count, one_rule.lhs, one_rule.source, one_rule.target
    FROM one_rule
    JOIN fillers ON fillers.lhs = one_rule.lhs AND fillers.source = one_rule.source
        AND fillers.target = one_rule.target
    JOIN label_id ON label_id.label = one_rule.lhs
)
SELECT
    row_number() OVER (
        ORDER BY lhs_id, len(ids), source, target, ids, given_source, given_target
    ) AS rule_id,
    *
FROM every;

INSERT INTO rule SELECT rule_id, lhs_id, count, len(ids) FROM made ORDER BY rule_id;

CREATE TEMP TABLE hole AS
SELECT
    rule_id, position, ids[position] AS nonterminal_id, count,
    replace(source, format('[X{},{}]', ids[position], position), '[_]') AS source,
    replace(target, format('[X{},{}]', ids[position], position), '[_]') AS target
FROM (SELECT *, unnest(range(1, len(ids) + 1)) AS position FROM made);

CREATE TEMP TABLE numbered AS
SELECT
    row_number() OVER (ORDER BY count(*) DESC, min(rule_id * 256 + position)) AS context_id,
    hole.source,
    hole.target,
    fsum(hole.count * hole.count / nonterminal.count) AS energy
FROM hole
JOIN nonterminal ON nonterminal.nonterminal_id = hole.nonterminal_id
GROUP BY hole.source, hole.target;

INSERT INTO context SELECT context_id, source, target, energy FROM numbered ORDER BY context_id;

INSERT INTO slot
SELECT hole.rule_id, hole.position, hole.nonterminal_id, numbered.context_id
FROM hole
JOIN numbered ON numbered.source = hole.source AND numbered.target = hole.target
ORDER BY hole.rule_id, hole.position;

-- What the tables of a store have no place for.
CREATE TABLE imported_rule AS
SELECT made.rule_id, given.alignment, given.features
FROM given
JOIN made ON made.given_lhs = given.lhs AND made.given_source = given.source
    AND made.given_target = given.target
ORDER BY made.rule_id;
