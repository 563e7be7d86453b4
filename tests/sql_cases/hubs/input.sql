-- Five words in three contexts; one context, a hub, is filled by all. Only what the queries read.
INSERT INTO nonterminal VALUES
    (1, 'a', 'A', 6, 1, 0, 1),
    (2, 'b', 'B', 3, 1, 0, 1),
    (3, 'c', 'C', 3, 1, 0, 1),
    (4, 'd', 'D', 2, 1, 0, 1),
    (5, 'e', 'E', 1, 1, 0, 1);
INSERT INTO context VALUES (1, 'the [_]', 'THE [_]', 1), (2, 'x [_]', 'X [_]', 1), (3, 'y [_]', 'Y [_]', 1);
INSERT INTO rule SELECT range, range, 1, 1 FROM range(10, 20);
INSERT INTO slot VALUES
    (10, 1, 1, 1), (11, 1, 2, 1), (12, 1, 3, 1), (13, 1, 4, 1), (14, 1, 5, 1),
    (15, 1, 1, 2), (16, 1, 2, 2), (17, 1, 4, 2),
    (18, 1, 1, 3), (19, 1, 2, 3);
