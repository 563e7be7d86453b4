-- Are two proportions, c1 of C1 and c2 of C2, the same? Hoeffding's test at level alpha, or Fisher's
-- where a sample is small.
-- Needs: dissimilarity, fisher_p, hoeffding_bound, theta
--
-- Parameters
--   c1, big_c1    how often in the first sample, and its size; a count above its size is taken as that
--   c2, big_c2    the same of the second
--   alpha         the level, greater than 0 and at most 1
--   fisher_below  Fisher's test decides where the smaller sample is below this; 0 for never
--
-- One struct; unnest(...) makes columns of it.
--   d        the dissimilarity, whichever test decides
--   bound    what |c1/C1 - c2/C2| must stay below in Hoeffding's test
--   test     the test that decides, `hoeffding` or `fisher`
--   p_value  of Fisher's test; NULL where it does not decide, and where fisher_p gives none
--   equal    the verdict: d < theta(alpha), or p >= alpha (a p this close to alpha, relatively, as
--            1e-11 is taken to be alpha)
CREATE OR REPLACE MACRO compare_proportions(c1, big_c1, c2, big_c2, alpha, fisher_below := 20) AS
list_transform(
    [{
        d: dissimilarity(c1, big_c1, c2, big_c2),
        fisher: least(big_c1, big_c2) < fisher_below,
        p_value: CASE WHEN least(big_c1, big_c2) < fisher_below
            THEN fisher_p(c1, big_c1, c2, big_c2) END
    }],
    lambda found: {
        d: found.d,
        bound: hoeffding_bound(big_c1, big_c2, alpha),
        test: if(found.fisher, 'fisher', 'hoeffding'),
        p_value: found.p_value,
        equal: if(found.fisher, found.p_value >= alpha * (1 - 1e-11), found.d < theta(alpha))
    }
)[1];
