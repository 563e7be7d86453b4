-- Words that look like gaps have a backslash, and X12 is not X1.
SELECT
    gaps_renamed('[X1,1] [\X1,1] [_] [X12,3]', [1, 5, 12], [9, 5, 4]) AS three_gaps,
    gaps_renamed('[_] Haus', [1], [9]) AS one_gap
