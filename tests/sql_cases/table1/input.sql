-- Table 1 of the paper, written down by hand from its numbers. Ids are by falling count, then text
-- (capitals first), so the paper's X1 ... X7 are X5, X4, X7, X2, X6, X1 and X3 here.
INSERT INTO bitext VALUES
    (1, 'das neue Haus', 'the new house', '0-0 1-1 2-2', NULL, NULL),
    (2, 'das Haus', 'the house', '0-0 1-1', NULL, NULL);
INSERT INTO nonterminal VALUES
    (1, 'Haus', 'house', 2, 1, 0, 2),
    (2, 'das', 'the', 2, 1, 0, 2),
    (3, 'das Haus', 'the house', 1, 3, 1, 1),
    (4, 'das neue', 'the new', 1, 3, 1, 1),
    (5, 'das neue Haus', 'the new house', 1, 6, 2, 1),
    (6, 'neue', 'new', 1, 1, 0, 1),
    (7, 'neue Haus', 'new house', 1, 3, 1, 1);
INSERT INTO occurrence VALUES
    (1, 1, 2, 3, 2, 3),
    (1, 2, 1, 2, 1, 2),
    (2, 1, 0, 1, 0, 1),
    (2, 2, 0, 1, 0, 1),
    (3, 2, 0, 2, 0, 2),
    (4, 1, 0, 2, 0, 2),
    (5, 1, 0, 3, 0, 3),
    (6, 1, 1, 2, 1, 2),
    (7, 1, 1, 3, 1, 3);
INSERT INTO glue VALUES (3, 1), (5, 1);
-- energy: the sum of c(r)^2 / C(filler)
INSERT INTO context VALUES
    (1, '[_] Haus', '[_] house', 1/9/2 + 1/36/1 + 1/9/1),
    (2, 'das [_]', 'the [_]', 1/9/2 + 1/9/1 + 1/36/1),
    (3, '[_] neue', '[_] new', 1/9/2),
    (4, '[_] neue Haus', '[_] new house', 1/36/2),
    (5, 'das [_] Haus', 'the [_] house', 1/36/1),
    (6, 'das neue [_]', 'the new [_]', 1/36/2),
    (7, 'neue [_]', 'new [_]', 1/9/2);
INSERT INTO rule VALUES
    (1, 1, 2, 0),
    (2, 2, 2, 0),
    (3, 3, 1/3, 0),
    (4, 3, 1/3, 1),
    (5, 3, 1/3, 1),
    (6, 4, 1/3, 0),
    (7, 4, 1/3, 1),
    (8, 4, 1/3, 1),
    (9, 5, 1/6, 0),
    (10, 5, 1/6, 1),
    (11, 5, 1/6, 1),
    (12, 5, 1/6, 1),
    (13, 5, 1/6, 1),
    (14, 5, 1/6, 1),
    (15, 6, 1, 0),
    (16, 7, 1/3, 0),
    (17, 7, 1/3, 1),
    (18, 7, 1/3, 1);
INSERT INTO slot VALUES
    (4, 1, 2, 1),
    (5, 1, 1, 2),
    (7, 1, 2, 3),
    (8, 1, 6, 2),
    (10, 1, 2, 4),
    (11, 1, 4, 1),
    (12, 1, 6, 5),
    (13, 1, 7, 2),
    (14, 1, 1, 6),
    (17, 1, 6, 1),
    (18, 1, 1, 7);
INSERT INTO build VALUES
    ('by hand', 'table 1', '{"counting": "type", "max_gaps": 1, "max_source_symbols": null}', '{}',
    2, 0, NULL, NULL);
