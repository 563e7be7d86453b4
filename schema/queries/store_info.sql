-- The sizes of the store and how it was built.
--
-- One row.
SELECT
    build.signature,
    build.version,
    build.sentences,
    build.skipped,
    (SELECT count(*) FROM nonterminal) AS nonterminals,
    (SELECT count(*) FROM nonterminal WHERE height = 0) AS leaves,
    (SELECT max(height) FROM nonterminal) AS height,
    (SELECT count(*) FROM occurrence) AS occurrences,
    (SELECT count(*) FROM rule) AS rules,
    (SELECT coalesce(sum(rule_count), 0)::BIGINT FROM nonterminal) AS rules_before_pruning,
    (SELECT count(*) FROM context) AS contexts,
    (SELECT count(*) FROM glue) AS glue_rules,
    (SELECT count(*) FROM session) AS sessions,
    build.prune_alpha,
    build.prune_fisher,
    build.options,
    build.inputs
FROM build
