-- The p-value of Fisher's exact test, two-sided: are the proportions c1 of C1 and c2 of C2 the same?
-- It is the probability of all tables, with the margins of the one seen, that are no likelier
-- than the one seen.
-- Needs: rounded_count
--
-- Parameters
--   c1, big_c1  how often in the first sample, and its size: counts are rounded to whole numbers,
--               and a count above its size is taken as that
--   c2, big_c2  the same of the second
--
-- One number; NULL where there are more than 1,000 tables to go through (both samples are then
-- at least that large): the function fisher_p of the Python package has no such limit.
--
-- With n and m the sizes of the smaller and the larger sample and k = c1 + c2, the probability of x
-- in the smaller one relates to that of x + 1 as
--     P(x + 1) / P(x) = (n - x) (k - x) / ((x + 1) (m - k + x + 1)).
-- Products of such ratios give every P(x) / P(seen) with an error below 1e-12, and tables closer
-- than that to the one seen count as equally likely.
CREATE OR REPLACE MACRO fisher_p(c1, big_c1, c2, big_c2) AS
list_transform(
    [{
        n: rounded_count(if(big_c1 <= big_c2, big_c1, big_c2)),
        m: rounded_count(if(big_c1 <= big_c2, big_c2, big_c1)),
        k: rounded_count(if(c1 > big_c1, big_c1, c1)) + rounded_count(if(c2 > big_c2, big_c2, c2)),
        seen: rounded_count(
            if(big_c1 <= big_c2, if(c1 > big_c1, big_c1, c1), if(c2 > big_c2, big_c2, c2))
        )
    }],
    lambda t: CASE WHEN t.n + t.m + t.k IS NOT NULL AND least(t.n, t.k, t.n + t.m - t.k) < 1000 THEN
        list_transform(
            -- one chance, relative to that of the table seen, for every x
            [list_transform(
                range(greatest(0, t.k - t.m)::BIGINT, least(t.n, t.k)::BIGINT + 1),
                lambda x: coalesce(list_product(list_transform(
                    range(least(x, t.seen)::BIGINT, greatest(x, t.seen)::BIGINT),
                    lambda j: pow(
                        ((t.n - j) * (t.k - j)) / ((j + 1) * (t.m - t.k + j + 1)),
                        if(x > t.seen, 1, -1)
                    )
                )), 1.0)
            )],
            lambda chances: list_sum(list_filter(chances, lambda chance: chance <= 1 + 1e-12))
                / list_sum(chances)
        )[1]
    END
)[1];
