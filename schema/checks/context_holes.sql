-- Invariant: a context has exactly one hole `[_]` on each side, a token of its own.
--
-- One row per context without.
SELECT format('context {} ({} ||| {}) has not one hole on each side',
    context_id, source, target) AS what
FROM context
WHERE NOT contains(' ' || source || ' ', ' [_] ')
    OR NOT contains(' ' || target || ' ', ' [_] ')
    OR length(source) - length(replace(source, '[_]', '')) <> 3
    OR length(target) - length(replace(target, '[_]', '')) <> 3
ORDER BY context_id;
