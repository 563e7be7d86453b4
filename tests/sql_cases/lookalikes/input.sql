-- Words that look like holes and gaps, crossing links, irregular spaces, word classes on one side
-- and a skipped sentence pair, by hand. In the grammar such words have a backslash more.
INSERT INTO bitext VALUES
    (1, ' [X1,1]  b', 'the-B the-hole', '0-1 1-0', NULL, 'B [_]'),
    (2, '[X,1]', 'z', '0-0', NULL, 'Z'),
    (3, 'too long', 'far too long', '0-0', NULL, 'F T L');
INSERT INTO skipped_sentence VALUES (3, 'more than 2 words');
INSERT INTO nonterminal VALUES
    (1, '[X,1]', 'Z', 1, 1, 0, 1),
    (2, '[\X1,1]', '[\_]', 1, 1, 0, 1),
    (3, '[\X1,1] b', 'B [\_]', 1, 3, 1, 1),
    (4, 'b', 'B', 1, 1, 0, 1);
INSERT INTO occurrence VALUES
    (1, 2, 0, 1, 0, 1),
    (2, 1, 0, 1, 1, 2),
    (3, 1, 0, 2, 0, 2),
    (4, 1, 1, 2, 0, 1);
INSERT INTO glue VALUES (1, 1), (3, 1);
INSERT INTO context VALUES
    (1, '[_] b', 'B [_]', 1/9/1),
    (2, '[\X1,1] [_]', '[_] [\_]', 1/9/1);
INSERT INTO rule VALUES
    (1, 1, 1, 0),
    (2, 2, 1, 0),
    (3, 3, 1/3, 0),
    (4, 3, 1/3, 1),
    (5, 3, 1/3, 1),
    (6, 4, 1, 0);
INSERT INTO slot VALUES (4, 1, 2, 1), (5, 1, 4, 2);
INSERT INTO build VALUES
    ('by hand', 'lookalikes', '{"counting": "type", "max_gaps": 1, "max_source_symbols": null}',
    '{}', 3, 1, NULL, NULL);
