-- The grammar of the folder two_gaps with three sessions. One more rule, 22, is like rule 11 but
-- with X1 in its first gap: when X1 and X2 are in one class, the two read the same.
--   one:    1 X7 into X3, 2 X6 into X2 (tested), 3 X1 into X2
--   two:    a branch of one at step 2; 3 X5 promoted, 4 X4 into X3 (forced by 3)
--   three:  a branch of two at step 1, which two has from one; 2 X2 into X1, 3 X1 into X6
INSERT INTO nonterminal VALUES
    (1, 'Haus', 'house', 2, 1, 0, 2),
    (2, 'das', 'the', 2, 1, 0, 2),
    (3, 'das Haus', 'the house', 1, 3, 1, 1),
    (4, 'das neue', 'the new', 1, 3, 1, 1),
    (5, 'das neue Haus', 'the new house', 1, 10, 2, 1),
    (6, 'neue', 'new', 1, 1, 0, 1),
    (7, 'neue Haus', 'new house', 1, 3, 1, 1);
INSERT INTO context VALUES
    (1, '[_] Haus', '[_] house', 1),
    (2, 'das [_]', 'the [_]', 1),
    (3, '[_] neue', '[_] new', 1),
    (4, '[_] neue Haus', '[_] new house', 1),
    (5, '[_] [X6,2] Haus', '[_] [X6,2] house', 1),
    (6, '[X2,1] [_] Haus', '[X2,1] [_] house', 1),
    (7, '[_] neue [X1,2]', '[_] new [X1,2]', 1),
    (8, '[X2,1] neue [_]', '[X2,1] new [_]', 1),
    (9, 'das [_] Haus', 'the [_] house', 1),
    (10, 'das [_] [X1,2]', 'the [_] [X1,2]', 1),
    (11, 'das [X6,1] [_]', 'the [X6,1] [_]', 1),
    (12, 'das neue [_]', 'the new [_]', 1),
    (13, 'neue [_]', 'new [_]', 1),
    (14, '[X1,1] [_] Haus', '[X1,1] [_] house', 1);
INSERT INTO rule VALUES
    (1, 1, 2, 0),
    (2, 2, 2, 0),
    (3, 3, 1/3, 0),
    (4, 3, 1/3, 1),
    (5, 3, 1/3, 1),
    (6, 4, 1/3, 0),
    (7, 4, 1/3, 1),
    (8, 4, 1/3, 1),
    (9, 5, 1/10, 0),
    (10, 5, 1/10, 1),
    (11, 5, 1/10, 2),
    (12, 5, 1/10, 2),
    (13, 5, 1/10, 1),
    (14, 5, 1/10, 1),
    (15, 5, 1/10, 2),
    (16, 5, 1/10, 1),
    (17, 5, 1/10, 1),
    (18, 6, 1, 0),
    (19, 7, 1/3, 0),
    (20, 7, 1/3, 1),
    (21, 7, 1/3, 1),
    (22, 5, 1/10, 2);
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
    (21, 1, 1, 13),
    (22, 1, 1, 5),
    (22, 2, 6, 14);
INSERT INTO session VALUES
    (1, 'one', NULL, NULL, 'manual', '{}', '', 'open', '2020-01-01', '', 3, 0),
    (2, 'two', 1, 2, 'manual', '{}', '', 'open', '2020-01-01', '', 4, 0),
    (3, 'three', 2, 1, 'manual', '{}', '', 'open', '2020-01-01', '', 3, 0);
INSERT INTO merge VALUES
    (1, 1, 7, 3, 'manual', NULL, 0),
    (1, 2, 6, 2, 'tested', NULL, 0),
    (1, 3, 1, 2, 'manual', NULL, 0),
    (2, 4, 4, 3, 'forced', 3, 0),
    (3, 2, 2, 1, 'manual', NULL, 0),
    (3, 3, 1, 6, 'manual', NULL, 0);
INSERT INTO promotion VALUES (2, 3, 5, 'manual', NULL, 0);
-- d = 2 * 1 / 3 * (1/6 - 1/3)^2
INSERT INTO evidence VALUES
    (1, 2, 1, 2, 6, 3, 7, 1/3, 2, 1/3, 1, 1/54, 2, NULL, 'hoeffding', 0);
