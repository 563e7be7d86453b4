SELECT
    (SELECT count(*) FROM candidates(max_fillers := 3)) AS three_fillers,
    (SELECT count(*) FROM candidates(max_fillers := 2)) AS two_fillers,
    (SELECT count(*) FROM candidates(min_count := 2)) AS counted_twice
