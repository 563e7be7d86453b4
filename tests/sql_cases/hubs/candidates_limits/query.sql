SELECT
    (SELECT count(*) FROM candidates(max_fillers := 5)) AS with_the_hub,
    (SELECT count(*) FROM candidates(max_fillers := 5, min_count := 3)) AS seen_thrice,
    (SELECT count(*) FROM candidates(max_fillers := 5, min_shared := 2)) AS sharing_two,
    (SELECT count(*) FROM candidates(max_fillers := 2)) AS with_two_fillers
