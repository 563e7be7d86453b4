"""The tests of proportions: their definitions, their twins and the claims that rest on them."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from grammar_store.errors import OptionError
from grammar_store.statistics.fisher import fisher_p_reference
from grammar_store.statistics.proportions import (
    MAX_COUNT,
    alpha_at,
    compare_one,
    compare_proportions,
    compare_reference,
    dissimilarity,
    dissimilarity_one,
    dissimilarity_reference,
    fisher_log_p,
    fisher_p,
    hoeffding_bound,
    hoeffding_equal,
    round_count_reference,
    round_counts,
    theta,
)

# The first call of a kernel compiles it.
unhurried = settings(deadline=None)

ALPHAS = (0.001, 0.01, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0)

levels = st.floats(1e-9, 1.0)
totals = st.one_of(st.integers(1, 60).map(float), st.floats(0.5, 1e12))
shares = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1.25))


@st.composite
def comparisons(draw: st.DrawFn) -> tuple[float, float, float, float]:
    """Counts of two samples, some of them above their sample (which are to be clamped)."""
    n1, n2 = draw(totals), draw(totals)
    return min(draw(shares) * n1, MAX_COUNT), n1, min(draw(shares) * n2, MAX_COUNT), n2


# --- levels -----------------------------------------------------------------------------------


def test_theta_by_other_arithmetic() -> None:
    for alpha in ALPHAS:
        expected = -(Decimal(str(alpha)) / 2).ln() / 2
        assert theta(alpha) == pytest.approx(float(expected), rel=1e-15)


def test_theta_of_the_smallest_level_is_finite() -> None:
    assert theta(5e-324) == pytest.approx((1074 + 1) * math.log(2) / 2)


@unhurried
@given(levels)
def test_alpha_at_is_the_inverse_of_theta(alpha: float) -> None:
    assert float(alpha_at(theta(alpha))) == pytest.approx(alpha, rel=1e-13)


@unhurried
@given(comparisons(), st.floats(0.001, 0.999))
def test_verdicts_flip_at_alpha_at(counts: tuple[float, ...], part: float) -> None:
    flip = float(alpha_at(dissimilarity(*counts)))
    assume(flip > 1e-300)
    assert hoeffding_equal(*counts, alpha=flip * part)
    above = flip + (1.0 - flip) * part
    assume(above > flip * (1 + 1e-12))
    assert not hoeffding_equal(*counts, alpha=above)


def test_below_theta_of_one_no_level_makes_a_difference() -> None:
    assert_array_equal(alpha_at([0.0, 0.1, math.log(2) / 2 - 1e-9]), 1.0)
    assert alpha_at(math.log(2) / 2 + 1e-9) < 1.0
    # 1 of 2 against 1 of 1 has D = 2/3 (1/2)² = 1/6 < ln(2)/2: equal at level 1 too.
    assert hoeffding_equal(1, 2, 1, 1, alpha=1.0)


def test_alpha_at_of_a_matrix() -> None:
    d = np.array([[0.0, 400.0], [1.0, 2.0]], np.float32)
    found = alpha_at(d)
    assert found.dtype == np.float64
    assert found == pytest.approx(
        np.array([[1.0, 2 * math.exp(-800)], [2 * math.exp(-2), 2 * math.exp(-4)]])
    )


@pytest.mark.parametrize("alpha", [0, 0.0, -0.1, 1.0000001, 2, math.nan, math.inf, None, "much"])
def test_levels_outside_are_refused(alpha: float) -> None:
    message = "alpha must be greater than 0 and at most 1"
    with pytest.raises(OptionError, match=message):
        theta(alpha)
    with pytest.raises(OptionError, match=message):
        hoeffding_bound(1, 2, alpha)
    with pytest.raises(OptionError, match=message):
        hoeffding_equal(1, 2, 1, 2, alpha)
    with pytest.raises(OptionError, match=message):
        compare_proportions(1, 2, 1, 2, alpha)


# --- Hoeffding --------------------------------------------------------------------------------


def test_the_example_of_the_paper() -> None:
    """C(X3) = 1, C(X6) = 2: a shared context of 1/6 each, and two of X6 alone."""
    c1 = [1 / 6, 0, 0]
    c2 = [1 / 3, 1 / 6, 1 / 3]
    d = dissimilarity(c1, 1, c2, 2)
    assert d == pytest.approx([0, 2 / 3 / 12**2, 2 / 3 / 6**2], abs=1e-16)
    for alpha in ALPHAS:
        bound = math.sqrt(-math.log(alpha / 2) * 3 / 4)
        assert hoeffding_bound(1, 2, alpha) == pytest.approx(bound)
        assert hoeffding_equal(c1, 1, c2, 2, alpha).all()
        # All counts round to 0, which no exact test can tell apart.
        assert_array_equal(compare_proportions(c1, 1, c2, 2, alpha).p_value, 1.0)


@unhurried
@given(comparisons(), levels)
def test_d_below_theta_means_difference_below_bound(
    counts: tuple[float, float, float, float], alpha: float
) -> None:
    c1, n1, c2, n2 = counts
    difference = abs(min(c1, n1) / n1 - min(c2, n2) / n2)
    bound = math.sqrt(-math.log(alpha / 2) * (n1 + n2) / (2 * n1 * n2))
    assert hoeffding_bound(n1, n2, alpha) == pytest.approx(bound, rel=1e-12)
    assume(abs(difference - bound) > 1e-12 * bound)
    assert hoeffding_equal(*counts, alpha) == (difference < bound)


@unhurried
@given(comparisons())
def test_dissimilarity_by_exact_arithmetic(counts: tuple[float, float, float, float]) -> None:
    exact = dissimilarity_reference(*counts)
    c1, n1, c2, n2 = (Fraction(count) for count in counts)
    p1, p2 = min(c1 / n1, Fraction(1)), min(c2 / n2, Fraction(1))
    assert exact == n1 * n2 / (n1 + n2) * (p1 - p2) ** 2
    # The quotients are rounded; their difference keeps that error.
    rounding = 2.0**-52 * float(max(p1, p2))
    slack = float(n1 * n2 / (n1 + n2)) * rounding * (2 * abs(float(p1 - p2)) + rounding)
    slack += 1e-14 * float(exact) + 1e-300  # below which doubles lose digits
    assert abs(float(dissimilarity(*counts)) - float(exact)) <= slack
    assert dissimilarity_one(*counts) == dissimilarity(*counts)
    assert dissimilarity(c2, n2, c1, n1) == dissimilarity(*counts)


@unhurried
@given(comparisons())
def test_dissimilarity_is_bounded_by_either_energy(
    counts: tuple[float, float, float, float],
) -> None:
    """D <= max(c1²/C1, c2²/C2) and D < min(C1, C2): what pruning rests on."""
    c1, n1, c2, n2 = counts
    c1, c2 = min(c1, n1), min(c2, n2)
    d = dissimilarity_reference(*counts)
    energies = [Fraction(c1) ** 2 / Fraction(n1), Fraction(c2) ** 2 / Fraction(n2)]
    assert d <= max(energies)
    assert d < Fraction(min(n1, n2))
    assert Fraction(c1 + c2) ** 2 / Fraction(n1 + n2) <= sum(energies) * (1 + Fraction(1, 10**15))


def test_large_counts_neither_overflow_nor_vanish() -> None:
    million_million = np.array([10**12], np.int64)
    half = million_million // 2
    # Δ = 2e-6 and C/2 = 5e11: D = 2.
    d = dissimilarity(half, million_million, half + 2_000_000, million_million)
    assert d == pytest.approx([2.0], rel=1e-9)
    assert dissimilarity(0, 10**12, 10**12, 10**12) == pytest.approx(5e11)
    assert hoeffding_equal(half, million_million, half + 2_000_000, million_million, 0.01).all()
    assert not hoeffding_equal(half, million_million, half + 2_400_000, million_million, 0.01).any()


def test_counts_above_their_sample_are_clamped() -> None:
    assert dissimilarity(7, 5, 9, 6) == 0.0
    assert dissimilarity(7, 5, 1, 6) == dissimilarity(5, 5, 1, 6)
    assert fisher_p(7, 5, 1, 6) == fisher_p(5, 5, 1, 6) < 0.05
    verdict = compare_proportions(7, 5, 1, 6, 0.1)
    assert verdict.p_value == pytest.approx(fisher_p(5, 5, 1, 6))
    assert not verdict.equal


# --- input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ((1, 0, 1, 2), "needs C > 0"),
        ((0, 3, [1, 1], [2, 0]), "needs C > 0"),
        ((-1, 2, 1, 2), "from 0 to 1e"),
        ((1, 2, math.nan, 2), "from 0 to 1e"),
        ((1, 2, 1, math.inf), "from 0 to 1e"),
        ((1, 2, 1, 2e12), "from 0 to 1e"),
    ],
)
def test_counts_that_are_none_are_refused(counts: tuple[float, ...], message: str) -> None:
    for function in (dissimilarity, fisher_p, fisher_log_p):
        with pytest.raises(ValueError, match=message):
            function(*counts)
    with pytest.raises(ValueError, match=message):
        compare_proportions(*counts, alpha=0.05)


@pytest.mark.parametrize("fisher_below", [-1, math.nan])
def test_fisher_below_is_checked(fisher_below: float) -> None:
    with pytest.raises(OptionError, match="fisher_below must be 0 or greater"):
        compare_proportions(1, 2, 1, 2, 0.05, fisher_below)


def test_shapes_are_broadcast() -> None:
    c1 = np.arange(6).reshape(2, 3)
    result = compare_proportions(c1, 30, [[4], [5]], np.array([10, 40, 50]), 0.05)
    assert {part.shape for part in result} == {(2, 3)}
    assert result.flips_at.shape == (2, 3)
    assert {part.shape for part in compare_proportions(1, 30, 2, 30, 0.05)} == {()}
    assert {part.shape for part in compare_proportions([], 30, [], 30, 0.05)} == {(0,)}
    assert fisher_log_p(c1, 30, 4, 10).shape == (2, 3)
    assert hoeffding_bound([[1], [2]], [3, 4, 5], 0.1).shape == (2, 3)


def test_inputs_are_left_alone() -> None:
    counts = np.array([[9.0], [5.0], [2.0], [4.0]])
    counts.flags.writeable = False
    compare_proportions(*counts, alpha=0.05)
    assert_array_equal(counts, [[9.0], [5.0], [2.0], [4.0]])


# --- Fisher -----------------------------------------------------------------------------------


@unhurried
@given(st.floats(0, 1e12))
def test_rounding_by_exact_arithmetic(count: float) -> None:
    assert float(round_counts(count)) == round_count_reference(count)


def test_rounding_is_half_to_even_whatever_the_order_of_a_sum() -> None:
    halves = np.arange(0.5, 50.5)
    assert_array_equal(round_counts(halves), [2 * ((n + 1) // 2) for n in range(50)])
    sixths = [Fraction(1, 6)] * 9
    assert round(sum(sixths)) == 2
    for fractions in ([1 / 6] * 9, [0.1] * 15, [0.3] * 5, [1 / 7] * 3 + [1 / 14] * 15):
        for order in (fractions, fractions[::-1]):
            assert float(round_counts(sum(order))) == 2.0


def test_fisher_rounds_its_counts() -> None:
    assert fisher_p(1.5, 9.6, 6.5, 10.4) == fisher_p(2, 10, 6, 10)
    assert fisher_p(2.5, 10, 6.5, 10) == fisher_p(2, 10, 6, 10)
    assert fisher_p(0.3, 0.4, 6, 10) == 1.0


def test_verdicts_on_all_small_tables_are_those_of_rational_arithmetic() -> None:
    """With p = α among them, such as 1/10 and 1/5, where doubles alone would err."""
    tables = np.array(
        [
            (c1, n1, c2, n2)
            for n1, n2 in itertools.product(range(1, 14), repeat=2)
            if n1 + n2 <= 14
            for c1 in range(n1 + 1)
            for c2 in range(n2 + 1)
        ]
    )
    exact = [fisher_p_reference(*table) for table in tables.tolist()]
    boundary = 0
    for alpha in ALPHAS:
        level = Fraction(str(alpha))
        result = compare_proportions(*tables.T, alpha=alpha)
        assert set(result.test) == {"fisher"}
        assert_array_equal(result.equal, [p >= level for p in exact])
        boundary += sum(p == level < 1 for p in exact)
    assert boundary > 20


@pytest.mark.parametrize(("n", "alpha"), [(20, 0.05), (100, 0.01), (10, 0.1), (1000, 0.001)])
def test_p_equal_to_alpha_is_equal(n: int, alpha: float) -> None:
    """One observation like one among n: p = 1/n exactly."""
    assert compare_proportions(1, 1, 0, n - 1, alpha).equal
    assert not compare_proportions(1, 1, 0, n, alpha).equal


# --- both -------------------------------------------------------------------------------------


@unhurried
@given(
    st.lists(
        st.tuples(st.floats(0, 1), st.integers(1, 60), st.floats(0, 1), st.integers(1, 400)),
        min_size=1,
    ),
    st.sampled_from(ALPHAS),
    st.sampled_from([0, 1, 20, 20.5, math.inf]),
)
def test_comparisons_by_exact_arithmetic(
    rows: list[tuple[float, int, float, int]], alpha: float, fisher_below: float
) -> None:
    counts = np.array([(p1 * n1, n1, p2 * n2, n2) for p1, n1, p2, n2 in rows]).T
    result = compare_proportions(*counts, alpha, fisher_below)
    for i, row in enumerate(counts.T.tolist()):
        equal, d, p = compare_reference(*row, alpha, fisher_below)
        assert result.equal[i] == equal
        assert result.d[i] == pytest.approx(float(d), rel=1e-12, abs=1e-13)
        assert result.bound[i] == pytest.approx(hoeffding_bound(row[1], row[3], alpha))
        if p is None:
            assert result.test[i] == "hoeffding"
            assert math.isnan(result.p_value[i])
            assert result.flips_at[i] == alpha_at(result.d[i])
        else:
            assert result.test[i] == "fisher"
            assert min(row[1], row[3]) < fisher_below
            assert result.p_value[i] == pytest.approx(float(p), rel=1e-11)
            assert result.flips_at[i] == result.p_value[i]


def test_the_kernel_clamps_and_rounds_by_itself() -> None:
    """Halves to even, whatever the order of a sum, and no count above its sample."""
    level = (theta(0.05), math.log(0.05), 20.0)
    for fractional, whole in [
        ((0.5, 9.5, 6.5, 10.5), (0, 10, 6, 10)),
        ((1.5, 9.6, 7.5, 10.4), (2, 10, 8, 10)),
        ((sum([1 / 6] * 9), 10, sum([0.1] * 75), 10), (2, 10, 8, 10)),
        ((7, 5, 1, 6), (5, 5, 1, 6)),
        ((1, 6, 7, 5), (1, 6, 5, 5)),
    ]:
        _, d, log_p = compare_one(*(float(count) for count in fractional), *level)
        assert math.exp(log_p) == pytest.approx(float(fisher_p_reference(*whole)), rel=1e-13)
        assert d == pytest.approx(float(dissimilarity_reference(*fractional)), rel=1e-14)


def test_fisher_takes_over_below_its_limit() -> None:
    sizes = [19, 19.5, 20, 21]
    result = compare_proportions(3, sizes, 9, 50, 0.05)
    assert result.test.tolist() == ["fisher", "fisher", "hoeffding", "hoeffding"]
    assert result.test.tolist() == compare_proportions(9, 50, 3, sizes, 0.05).test.tolist()
    assert set(compare_proportions(3, sizes, 9, 50, 0.05, fisher_below=0).test) == {"hoeffding"}


def test_the_tests_can_disagree() -> None:
    """Why there are two: Hoeffding's bound passes every sample of one or two."""
    result = compare_proportions(2, 2, 0, 1000, 0.01)
    assert not result.equal
    assert hoeffding_equal(2, 2, 0, 1000, 0.01)


def test_compare_one_serves_other_kernels() -> None:
    @njit
    def equal_ones(counts: NDArray[np.float64], level: tuple[float, float]) -> int:
        found = 0
        for c1, n1, c2, n2 in counts:
            equal, _, _ = compare_one(c1, n1, c2, n2, level[0], level[1], 20.0)
            found += equal
        return found

    rng = np.random.default_rng(5)
    totals = rng.integers(1, 60, (2, 500))
    successes = rng.integers(0, totals + 1)
    counts = np.stack([successes[0], totals[0], successes[1], totals[1]]).astype(float)
    result = compare_proportions(*counts, alpha=0.05)
    assert 50 < result.equal.sum() < 450
    found = equal_ones(np.ascontiguousarray(counts.T), (theta(0.05), math.log(0.05)))
    assert found == result.equal.sum()
