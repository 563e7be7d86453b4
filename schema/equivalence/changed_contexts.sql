-- Step 3: the contexts that read otherwise in this state. In rules of several gaps the other gaps
-- of a context show the leaders of their classes, so that contexts can become the same.
--
-- Makes state_context: one row per context of a rule with a displaced filler; all other contexts
-- are as ever.
--   context_id        as in context
--   state_context_id  the least id of those that read the same in this state
--   source, target    how it reads
CREATE OR REPLACE TEMP TABLE state_context AS
WITH displaced AS (
    SELECT nonterminal_id FROM state_member WHERE leader_id <> nonterminal_id
), changed_rule AS (
    SELECT rule_id FROM rule
    WHERE gaps > 1 AND rule_id IN (
        SELECT rule_id FROM slot WHERE nonterminal_id IN (FROM displaced)
    )
), gap AS (
    -- `[X12,1]` before and now; rules have at most four gaps
    SELECT
        slot.rule_id,
        max(format('[X{},1]', slot.nonterminal_id)) FILTER (position = 1) AS old1,
        max(format('[X{},2]', slot.nonterminal_id)) FILTER (position = 2) AS old2,
        max(format('[X{},3]', slot.nonterminal_id)) FILTER (position = 3) AS old3,
        max(format('[X{},4]', slot.nonterminal_id)) FILTER (position = 4) AS old4,
        max(format('[X{},1]', leader_id)) FILTER (position = 1) AS new1,
        max(format('[X{},2]', leader_id)) FILTER (position = 2) AS new2,
        max(format('[X{},3]', leader_id)) FILTER (position = 3) AS new3,
        max(format('[X{},4]', leader_id)) FILTER (position = 4) AS new4
    FROM slot
    JOIN state_member ON state_member.nonterminal_id = slot.nonterminal_id
    WHERE slot.rule_id IN (FROM changed_rule)
    GROUP BY slot.rule_id
), context_rule AS (
    -- the other fillers of a context are the same in all of its rules: any one will do
    SELECT context_id, min(rule_id) AS rule_id
    FROM slot
    WHERE rule_id IN (FROM changed_rule)
    GROUP BY context_id
), changed AS (
    SELECT
        context.context_id,
        replace(replace(replace(replace(context.source,
            old1, new1), old2, new2), coalesce(old3, ''), coalesce(new3, '')),
            coalesce(old4, ''), coalesce(new4, '')) AS source,
        replace(replace(replace(replace(context.target,
            old1, new1), old2, new2), coalesce(old3, ''), coalesce(new3, '')),
            coalesce(old4, ''), coalesce(new4, '')) AS target
    FROM context_rule
    JOIN context ON context.context_id = context_rule.context_id
    JOIN gap ON gap.rule_id = context_rule.rule_id
), unchanged AS (
    -- those that some changed one has come to read like
    SELECT context.context_id, context.source, context.target
    FROM context
    WHERE (source, target) IN (SELECT (source, target) FROM changed)
        AND context_id NOT IN (SELECT context_id FROM changed)
)
SELECT
    context_id,
    min(context_id) OVER (PARTITION BY source, target) AS state_context_id,
    source,
    target
FROM (FROM changed UNION ALL FROM unchanged);

-- And state_text: one row per context, as it reads in this state.
CREATE OR REPLACE TEMP VIEW state_text AS
SELECT
    context.context_id,
    coalesce(state_context.source, context.source) AS source,
    coalesce(state_context.target, context.target) AS target
FROM context
LEFT JOIN state_context ON state_context.context_id = context.context_id;
