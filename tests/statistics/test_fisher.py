"""The compiled Fisher test against rational arithmetic, long integers and scipy."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from grammar_store.statistics.fisher import (
    ENUMERATED,
    _ratio_exceeds_one,
    _stirling_excess,
    _summed_log_p,
    fisher_log_p_all,
    fisher_log_p_one,
    fisher_p_reference,
)

Table = tuple[int, int, int, int]


def log_p(c1: int, big_c1: int, c2: int, big_c2: int) -> float:
    return fisher_log_p_one(float(c1), float(big_c1), float(c2), float(big_c2))


def tables(total: int) -> list[Table]:
    """Every (c1, C1, c2, C2) with C1 + C2 <= total."""
    return [
        (c1, big_c1, c2, big_c2)
        for big_c1, big_c2 in itertools.product(range(total + 1), repeat=2)
        if big_c1 + big_c2 <= total
        for c1 in range(big_c1 + 1)
        for c2 in range(big_c2 + 1)
    ]


def long_integer_log_p(c1: int, big_c1: int, c2: int, big_c2: int) -> float:
    """ln p with integers of hundreds of bits, for any counts.

    Probabilities are multiples of 2^-300 of that of the table seen, followed in both
    directions from neighbour to neighbour until they vanish. No logarithm, no Stirling, and a tie
    shows as a difference below 2^-200.
    """
    one = 1 << 300
    a, b, c, d = c1, big_c1 - c1, c2, big_c2 - c2
    extreme, likelier = one, 0
    for p, q, r, s in ((a, d, b, c), (b, c, a, d)):
        term = greatest = one
        while p and q:
            r, s = r + 1, s + 1
            term = term * p * q // (r * s)
            p, q = p - 1, q - 1
            greatest = max(greatest, term)
            if term << 80 < greatest and term < one >> 80:
                break
            if term > one + (one >> 200):
                likelier += term
            else:
                extreme += term
    ratio = Fraction(extreme, extreme + likelier)
    shift = max(0, ratio.denominator.bit_length() - ratio.numerator.bit_length() - 60)
    return math.log(float(ratio * 2**shift)) - shift * math.log(2)


# --- rational arithmetic ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "p"),
    [
        ((3, 4, 1, 4), Fraction(34, 70)),  # the lady tasting tea
        ((8, 10, 1, 6), Fraction(5, 143)),  # 0.0349650 in scipy's manual
        ((6, 8, 1, 5), Fraction(132, 1287)),  # 0.1025641 in scipy's manual
        ((1, 1, 0, 19), Fraction(1, 20)),
        ((0, 5, 0, 7), Fraction(1)),
    ],
)
def test_known_values(table: Table, p: Fraction) -> None:
    assert fisher_p_reference(*table) == p
    assert math.exp(log_p(*table)) == pytest.approx(float(p), rel=1e-14, abs=0)


def test_all_small_tables_are_exact() -> None:
    for table in tables(14):
        p = fisher_p_reference(*table)
        assert math.exp(log_p(*table)) == pytest.approx(float(p), rel=1e-13, abs=0), table
        assert (log_p(*table) == 0.0) == (p == 1), table


def test_summed_tails_are_exact_on_small_tables() -> None:
    """The way for large counts, on tables where ties abound and which it never gets else."""
    tried = 0
    for c1, big_c1, c2, big_c2 in tables(22):
        a, b, c, d = c1, big_c1 - c1, c2, big_c2 - c2
        if a <= d and b <= c and (a + 1) * (d + 1) < b * c:
            p = fisher_p_reference(c1, big_c1, c2, big_c2)
            found = math.exp(_summed_log_p(float(a), float(b), float(c), float(d)))
            assert found == pytest.approx(float(p), rel=1e-12, abs=0), (c1, big_c1, c2, big_c2)
            tried += 1
    assert tried > 1000


@settings(deadline=None, max_examples=300)
@given(st.integers(1, 700), st.integers(1, 700), st.floats(0, 1), st.floats(0, 1))
def test_middling_tables_are_exact(n1: int, n2: int, p1: float, p2: float) -> None:
    table = (round(p1 * n1), n1, round(p2 * n2), n2)
    p = fisher_p_reference(*table)
    expected = math.log(p.numerator) - math.log(p.denominator)
    assert log_p(*table) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_long_integers_agree_with_rational_arithmetic() -> None:
    """The yardstick of the larger tables, itself measured."""
    for table in tables(12):
        expected = math.log(fisher_p_reference(*table))
        assert long_integer_log_p(*table) == pytest.approx(expected, rel=1e-14, abs=1e-15)


# --- ties -------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_exchanging_gives_the_same_bits(a: int, b: int, c: int, d: int) -> None:
    expected = log_p(a, a + b, c, c + d)
    assert log_p(c, c + d, a, a + b) == expected
    assert log_p(b, a + b, d, c + d) == expected
    assert log_p(a, a + c, b, b + d) == expected


def test_exchanging_gives_the_same_bits_for_large_counts() -> None:
    rng = np.random.default_rng(3)
    n1, n2 = 10.0 ** rng.uniform(0, 9, (2, 500)) // 1
    c1, c2 = rng.binomial(n1.astype(int), 0.3) * 1.0, rng.binomial(n2.astype(int), 0.3) * 1.0
    expected = fisher_log_p_all(c1, n1, c2, n2)
    assert np.array_equal(expected, fisher_log_p_all(c2, n2, c1, n1))
    assert np.array_equal(expected, fisher_log_p_all(n2 - c2, n2, n1 - c1, n1))


def test_every_comparison_of_probabilities_is_exact() -> None:
    """Mirror images, chance ties such as those of C(14, 4..6), and everything else."""
    chance_ties = 0
    for a, b, c, d in itertools.product(range(12), repeat=4):
        above = below = 1
        for k in range(1, min(b, c) + 1):
            above *= (b - k + 1) * (c - k + 1)
            below *= (a + k) * (d + k)
            exceeds = _ratio_exceeds_one(float(a), float(b), float(c), float(d), k)
            assert exceeds == (above > below), (a, b, c, d, k)
            mirrored = {a + k, d + k} == {b, c}
            chance_ties += above == below and not mirrored
    assert chance_ties > 100


@pytest.mark.parametrize("size", [100, 10**4, 10**6])
@pytest.mark.parametrize("distance", [1, 2, 3, 30])
@pytest.mark.parametrize("unevenness", [0, 1, 2])
def test_ties_and_near_ties_of_large_samples(size: int, distance: int, unevenness: int) -> None:
    """Mirrored tables of equal samples tie; of almost equal ones they differ by about 1/C."""
    table = (40 + distance, 10**6 * size, 40 - distance, 10**6 * size + unevenness)
    assert log_p(*table) == pytest.approx(long_integer_log_p(*table), rel=1e-12, abs=1e-13)
    table = (4 + distance % 4, 10**6 * size, 4 - distance % 4, 10**6 * size + unevenness)
    assert log_p(*table) == pytest.approx(long_integer_log_p(*table), rel=1e-12, abs=1e-13)


def test_a_tie_is_told_from_one_part_in_a_million_million() -> None:
    half = 5 * 10**11
    # One observation, and k of N in all: the tables have probabilities k/N and (N-k)/N.
    assert log_p(0, 1, half, 2 * half - 1) == 0.0
    assert log_p(1, 1, half - 1, 2 * half - 1) == 0.0
    assert math.exp(log_p(1, 1, half - 2, 2 * half - 1)) == pytest.approx(0.5, rel=1e-11)


def likelier_tables(a: int, b: int, c: int, d: int) -> tuple[int, float]:
    """How many of the nearest tables are likelier, and how near the nearest to a tie comes."""
    likelier, nearest = 0, 1.0
    for p, q, r, s in ((a, d, b, c), (b, c, a, d)):
        above = below = 1
        for k in range(12):
            above *= (p - k) * (q - k)
            below *= (r + k + 1) * (s + k + 1)
            likelier += above > below
            if above != below:
                nearest = min(nearest, abs(above / below - 1), abs(below / above - 1))
    return likelier, nearest


def test_near_ties_at_the_mode_of_the_broadest_distributions() -> None:
    """Neighbours differ by 1e-12 or less there; every table counts 1e-6 and must be judged right.

    So near the mode 1 - p = (number of likelier tables) times the probability of the mode.
    """
    half = 5 * 10**11
    cells = [
        (half - 2, half, half, half),  # bc = (a+1)(d+1) + 1: just below the mode
        (half - 1, half - 1, half + 1, half - 1),  # bc = (a+1)(d+1) - 1: just at it
    ]
    rng = np.random.default_rng(8)
    while len(cells) < 40:
        n1, n2, k = (int(n) for n in rng.integers(half, 2 * half, 3))
        a = n1 * k // (n1 + n2) - int(rng.integers(0, 4))
        b, c, d = n1 - a, k - a, n2 - (k - a)
        likelier, nearest = likelier_tables(a, b, c, d)
        if likelier and nearest < 2e-13:
            cells.append((a, b, c, d))
    for a, b, c, d in cells:
        rows, columns, n = (a + b) * (c + d), (a + c) * (b + d), a + b + c + d
        mode = math.sqrt(n**3 / (2 * math.pi * rows * columns))
        likelier, _ = likelier_tables(a, b, c, d)
        found = -math.expm1(log_p(a, a + b, c, c + d)) / mode
        assert found == pytest.approx(likelier, abs=1e-3), (a, b, c, d)
        for k in range(1, 12):
            above = math.prod((b - i) * (c - i) for i in range(k))
            below = math.prod((a + i + 1) * (d + i + 1) for i in range(k))
            exceeds = _ratio_exceeds_one(float(a), float(b), float(c), float(d), k)
            assert exceeds == (above > below), (a, b, c, d, k)


def test_stirling_excess_has_all_digits() -> None:
    with localcontext() as context:
        context.prec = 60
        for n in range(1, 400):
            exact = Decimal(math.factorial(n)).ln() - n * Decimal(n).ln() + n
            assert _stirling_excess(float(n)) == pytest.approx(float(exact), rel=4e-16, abs=0), n


# --- large counts -----------------------------------------------------------------------------

E12 = 10**12
LARGE: list[Table] = [
    (3, 7, E12 // 9, E12),
    (0, 24, E12 // 2, E12),
    (0, 25, E12 // 2, E12),
    (24, 24, 1, E12),
    (500_000, E12, 503_000, E12),
    (500_000, E12, 500_100, E12 - 1),
    (0, E12, 600, E12),
    (0, E12, 300, E12 // 7),
    (1234, 10**7, 10**8 + 54321, E12),
    (2**20, 2**21, 3 * 10**8, 6 * 10**8 + 10**5),
    (E12 - 70_000, E12, 10**8 - 50, 10**8),
    (12_600, 3 * 10**4, E12 // 2, E12),
]


@pytest.mark.parametrize("table", LARGE)
def test_large_counts(table: Table) -> None:
    expected = long_integer_log_p(*table)
    assert expected > math.log(1e-300)
    # An absolute error of ln p is a relative error of p.
    assert log_p(*table) == pytest.approx(expected, rel=0, abs=2e-12)


@pytest.mark.long
@pytest.mark.parametrize("shift", [0, 10, 10**5, 10**7])
@pytest.mark.parametrize("unevenness", [0, 3])
def test_the_broadest_distributions(shift: int, unevenness: int) -> None:
    table = (E12 // 2 - shift, E12 - unevenness, E12 // 2 + shift, E12)
    expected = long_integer_log_p(*table)
    assert log_p(*table) == pytest.approx(expected, rel=0, abs=1e-10)


def test_p_values_below_all_doubles() -> None:
    # Nothing against everything: the two tables 0 | C and C | 0 of C(2C, C).
    central = 2 * E12 * math.log(2) - math.log(math.pi * E12) / 2 - 1 / (8 * E12)
    assert log_p(0, E12, E12, E12) == pytest.approx(math.log(2) - central, rel=1e-15)
    ways = math.comb(20_000, 10_000)
    assert log_p(0, 10_000, 10_000, 10_000) == pytest.approx(
        math.log(2) - math.log(ways), rel=1e-15
    )


# --- scipy ------------------------------------------------------------------------------------


def stratified(number: int, seed: int) -> np.ndarray:
    """Tables with samples of every size up to a million, alike and not, a fifth of equal size."""
    rng = np.random.default_rng(seed)
    tops = np.array([19, 19, 100, 1000, 10_000, 1_000_000])
    n1, n2 = rng.integers(1, tops[rng.integers(0, len(tops), (2, number))] + 1)
    n2 = np.where(rng.random(number) < 0.2, n1, n2)
    p1 = rng.random(number) ** 2
    p2 = np.where(
        rng.random(number) < 0.7,
        np.minimum(1.0, p1 * rng.uniform(0.5, 1.5, number)),
        rng.random(number),
    )
    return np.array([rng.binomial(n1, p1), n1, rng.binomial(n2, p2), n2])


def hold_against_scipy(number: int, seed: int) -> int:
    """Compare; where scipy differs, long integers must side with us. Returns how often."""
    counts = stratified(number, seed)
    ours = fisher_log_p_all(*counts.astype(float))
    differ = 0
    for (c1, n1, c2, n2), found in zip(counts.T.tolist(), ours, strict=True):
        theirs = fisher_exact([[c1, n1 - c1], [c2, n2 - c2]]).pvalue
        if theirs < 1e-290:
            assert found < math.log(1e-289)
        elif abs(found - math.log(theirs)) > 1e-9:
            differ += 1
            assert found == pytest.approx(long_integer_log_p(c1, n1, c2, n2), abs=1e-11)
    return differ


def test_scipy_agrees_on_four_thousand_tables() -> None:
    assert hold_against_scipy(4_000, seed=20) <= 4


@pytest.mark.long
def test_scipy_agrees_on_a_hundred_thousand_tables() -> None:
    assert hold_against_scipy(100_000, seed=21) <= 100


def test_ties_are_those_of_scipy() -> None:
    """Equal samples, where every table but the middle one has a tie."""
    for n in range(1, 26):
        for c1, c2 in itertools.combinations(range(0, n + 1, 2), 2):
            theirs = fisher_exact([[c1, n - c1], [c2, n - c2]]).pvalue
            assert math.exp(log_p(c1, n, c2, n)) == pytest.approx(theirs, rel=1e-11, abs=0)


def test_both_ways_are_tried() -> None:
    """The stratified tables reach the enumeration and the summed tails."""
    c1, n1, c2, n2 = stratified(10_000, seed=20)
    least = np.minimum(np.minimum(n1, n2), np.minimum(c1 + c2, n1 + n2 - c1 - c2))
    assert 2000 < (least <= ENUMERATED).sum() < 8000
