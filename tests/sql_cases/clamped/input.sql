-- A filler whose rule has a greater count than itself: where one phrase pair occurs with different
-- inner links, C(X) is spread over the rules of all its occurrences. Only what the query reads.
INSERT INTO nonterminal VALUES
    (1, 'a b', 'A B', 3, 2, 1, 3),
    (2, 'b', 'B', 1, 1, 0, 1);
INSERT INTO context VALUES (1, 'a [_]', 'A [_]', 2.25);
INSERT INTO rule VALUES (1, 1, 3/2, 0), (2, 1, 3/2, 1), (3, 2, 1, 0);
INSERT INTO slot VALUES (2, 1, 2, 1);
