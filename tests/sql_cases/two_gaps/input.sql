-- The bitext of Table 1 with up to two gaps in a rule, by hand. "das neue Haus" gains the three
-- rules 11, 12 and 15; whatever would have no word at all is not a rule.
INSERT INTO bitext VALUES
    (1, 'das neue Haus', 'the new house', '0-0 1-1 2-2', NULL, NULL),
    (2, 'das Haus', 'the house', '0-0 1-1', NULL, NULL);
INSERT INTO nonterminal VALUES
    (1, 'Haus', 'house', 2, 1, 0, 2),
    (2, 'das', 'the', 2, 1, 0, 2),
    (3, 'das Haus', 'the house', 1, 3, 1, 1),
    (4, 'das neue', 'the new', 1, 3, 1, 1),
    (5, 'das neue Haus', 'the new house', 1, 9, 2, 1),
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
    (1, '[_] Haus', '[_] house', 1/9/2 + 1/81/1 + 1/9/1),
    (2, 'das [_]', 'the [_]', 1/9/2 + 1/9/1 + 1/81/1),
    (3, '[_] neue', '[_] new', 1/9/2),
    (4, '[_] neue Haus', '[_] new house', 1/81/2),
    (5, '[_] [X6,2] Haus', '[_] [X6,2] house', 1/81/2),
    (6, '[X2,1] [_] Haus', '[X2,1] [_] house', 1/81/1),
    (7, '[_] neue [X1,2]', '[_] new [X1,2]', 1/81/2),
    (8, '[X2,1] neue [_]', '[X2,1] new [_]', 1/81/2),
    (9, 'das [_] Haus', 'the [_] house', 1/81/1),
    (10, 'das [_] [X1,2]', 'the [_] [X1,2]', 1/81/1),
    (11, 'das [X6,1] [_]', 'the [X6,1] [_]', 1/81/2),
    (12, 'das neue [_]', 'the new [_]', 1/81/2),
    (13, 'neue [_]', 'new [_]', 1/9/2);
INSERT INTO rule VALUES
    (1, 1, 2, 0),
    (2, 2, 2, 0),
    (3, 3, 1/3, 0),
    (4, 3, 1/3, 1),
    (5, 3, 1/3, 1),
    (6, 4, 1/3, 0),
    (7, 4, 1/3, 1),
    (8, 4, 1/3, 1),
    (9, 5, 1/9, 0),
    (10, 5, 1/9, 1),
    (11, 5, 1/9, 2),
    (12, 5, 1/9, 2),
    (13, 5, 1/9, 1),
    (14, 5, 1/9, 1),
    (15, 5, 1/9, 2),
    (16, 5, 1/9, 1),
    (17, 5, 1/9, 1),
    (18, 6, 1, 0),
    (19, 7, 1/3, 0),
    (20, 7, 1/3, 1),
    (21, 7, 1/3, 1);
INSERT INTO slot VALUES
    (4, 1, 2, 1),
    (5, 1, 1, 2),
    (7, 1, 2, 3),
    (8, 1, 6, 2),
    (10, 1, 2, 4),
    (11, 1, 2, 5),
    (11, 2, 6, 6),
    (12, 1, 2, 7),
    (12, 2, 1, 8),
    (13, 1, 4, 1),
    (14, 1, 6, 9),
    (15, 1, 6, 10),
    (15, 2, 1, 11),
    (16, 1, 7, 2),
    (17, 1, 1, 12),
    (20, 1, 6, 1),
    (21, 1, 1, 13);
INSERT INTO build VALUES
    ('by hand', 'table 1, two gaps',
    '{"counting": "type", "max_gaps": 2, "max_source_symbols": null}', '{}', 2, 0, NULL, NULL);
