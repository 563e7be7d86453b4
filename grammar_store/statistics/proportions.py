"""Are two proportions, c1 of C1 and c2 of C2, the same? (docs/definitions.md, D6 and D12)

The test is Hoeffding's bound at level α. Written with the *dissimilarity*

    D = C1 C2 / (C1 + C2) (c1/C1 - c2/C2)²,

the proportions count as equal if and only if D < θ(α) = -ln(α/2) / 2. When one of the samples is
small, ``min(C1, C2) < fisher_below``, Fisher's exact test takes its place: equal if and only if
p >= α.

Functions take numbers or arrays, which are broadcast, and give float64 arrays (without
dimensions for numbers). C is written ``big_c``. A count c above its C is taken as C. The functions
called ``*_one`` are compiled, for use inside other kernels, and check nothing; those called
``*_reference`` say the same in exact arithmetic.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from grammar_store.compiling import kernel
from grammar_store.errors import OptionError
from grammar_store.statistics.fisher import (
    fisher_log_p_all,
    fisher_log_p_one,
    fisher_p_reference,
)

FISHER_BELOW = 20.0
MAX_COUNT = 1e12

# A p-value this close to α, relatively, is taken to be α: with p = 1/20 and α = 0.05 both are
# rounded, and only chance would decide.
SAME_P = 1e-11
# Counts are sums of fractions, so that 1.5 may come as 1.4999999999999998: they are first
# rounded to multiples of 2^-30, then to whole numbers.
GRAIN = 2.0**30

FloatArray = NDArray[np.float64]


class Comparisons(NamedTuple):
    """The outcome of `compare_proportions`, one entry for each comparison."""

    test: NDArray[np.str_]
    """Which test decided: ``hoeffding`` or ``fisher``."""
    d: FloatArray
    """The dissimilarity D, whichever test decided."""
    bound: FloatArray
    """What the difference of the proportions must stay below in Hoeffding's test."""
    p_value: FloatArray
    """Fisher's p-value; nan where Hoeffding's test decided."""
    equal: NDArray[np.bool_]
    """The verdict."""

    @property
    def flips_at(self) -> FloatArray:
        """The α at which each verdict flips: p for Fisher's test, else `alpha_at` of D."""
        return np.where(np.isnan(self.p_value), alpha_at(self.d), self.p_value)


# --- levels ---------------------------------------------------------------------------------


def check_alpha(alpha: float) -> float:
    """The level as a float; an `OptionError` if it does not lie in (0, 1]."""
    try:
        level = float(alpha)
    except (TypeError, ValueError):
        level = math.nan
    if not 0.0 < level <= 1.0:
        raise OptionError(f"alpha must be greater than 0 and at most 1, not {alpha!r}")
    return level


def theta(alpha: float) -> float:
    """θ(α) = -ln(α/2) / 2, which a dissimilarity must stay below.

    Examples
    --------
    >>> round(theta(0.01), 6)
    2.649159
    """
    return (math.log(2.0) - math.log(check_alpha(alpha))) / 2.0


def alpha_at(d: ArrayLike) -> FloatArray:
    """The α at which the verdict of a Hoeffding test with dissimilarity d flips.

    It is 2 exp(-2 d), the inverse of `theta`: the proportions are equal at every level below it
    and different from it on. Where this exceeds 1, for d < θ(1) = ln(2) / 2, no level in (0, 1]
    makes a difference: the result is then 1, and the proportions are equal at level 1 too.

    Examples
    --------
    >>> round(float(alpha_at(theta(0.01))), 12)
    0.01
    >>> float(alpha_at(0.1))
    1.0
    """
    return np.asarray(np.minimum(2.0 * np.exp(-2.0 * np.asarray(d, np.float64)), 1.0))


# --- counts ---------------------------------------------------------------------------------


def round_counts(counts: ArrayLike) -> FloatArray:
    """Counts as whole numbers, half to even, for Fisher's test.

    Examples
    --------
    >>> round_counts([0.5, 1.5, 2.5, 1.5 - 1e-15])
    array([0., 2., 2., 2.])
    """
    return np.asarray(np.rint(np.rint(np.asarray(counts, np.float64) * GRAIN) / GRAIN))


def round_count_reference(count: float) -> int:
    """One count as a whole number, in exact arithmetic."""
    return round(Fraction(round(Fraction(count) * int(GRAIN)), int(GRAIN)))


def _samples(c1: ArrayLike, big_c1: ArrayLike, c2: ArrayLike, big_c2: ArrayLike) -> FloatArray:
    """The four counts, checked, broadcast and clamped, as rows of one array."""
    counts = np.array(
        np.broadcast_arrays(*(np.asarray(count, np.float64) for count in (c1, big_c1, c2, big_c2)))
    )
    totals = counts[1::2]
    if not ((counts >= 0.0) & (counts <= MAX_COUNT)).all():
        raise ValueError(f"counts must be numbers from 0 to {MAX_COUNT:.0e}")
    if not (totals > 0.0).all():
        raise ValueError("a proportion c/C needs C > 0: a sample without observations has none")
    counts[0::2] = np.minimum(counts[0::2], totals)
    return counts


# --- Hoeffding ------------------------------------------------------------------------------


@kernel
def dissimilarity_one(c1: float, big_c1: float, c2: float, big_c2: float) -> float:
    """D of one comparison, c clamped to C."""
    difference = min(c1, big_c1) / big_c1 - min(c2, big_c2) / big_c2
    return big_c1 * big_c2 / (big_c1 + big_c2) * (difference * difference)


def dissimilarity_reference(c1: float, big_c1: float, c2: float, big_c2: float) -> Fraction:
    """D of one comparison, in exact arithmetic."""
    n1, n2 = Fraction(big_c1), Fraction(big_c2)
    difference = min(Fraction(c1), n1) / n1 - min(Fraction(c2), n2) / n2
    return n1 * n2 / (n1 + n2) * difference**2


def dissimilarity(c1: ArrayLike, big_c1: ArrayLike, c2: ArrayLike, big_c2: ArrayLike) -> FloatArray:
    """D = C1 C2 / (C1 + C2) (c1/C1 - c2/C2)².

    Examples
    --------
    In the paper's example X3 and X6 share the context "das [_] | the [_]" with 1/6 of 1 and 1/3
    of 2; the other two contexts of X6 have 1/6 and 1/3, and none for X3.

    >>> dissimilarity([1 / 6, 0, 0], 1, [1 / 3, 1 / 6, 1 / 3], 2).round(6)
    array([0.      , 0.00463 , 0.018519])
    """
    s1, n1, s2, n2 = _samples(c1, big_c1, c2, big_c2)
    difference = s1 / n1 - s2 / n2
    return np.asarray(n1 * n2 / (n1 + n2) * (difference * difference))


def hoeffding_bound(big_c1: ArrayLike, big_c2: ArrayLike, alpha: float) -> FloatArray:
    """What |c1/C1 - c2/C2| must stay below: sqrt(-ln(α/2) (C1 + C2) / (2 C1 C2)).

    Examples
    --------
    >>> hoeffding_bound([1, 100, 10_000], [2, 100, 10_000], 0.05).round(6)
    array([1.663328, 0.192065, 0.019206])
    """
    _, n1, _, n2 = _samples(0.0, big_c1, 0.0, big_c2)
    return np.asarray(np.sqrt(theta(alpha) * (n1 + n2) / (n1 * n2)))


def hoeffding_equal(
    c1: ArrayLike, big_c1: ArrayLike, c2: ArrayLike, big_c2: ArrayLike, alpha: float
) -> NDArray[np.bool_]:
    """Whether D < θ(α).

    Examples
    --------
    >>> hoeffding_equal([50, 50], 100, [60, 80], 100, alpha=0.05)
    array([ True, False])
    """
    return np.asarray(dissimilarity(c1, big_c1, c2, big_c2) < theta(alpha))


# --- Fisher ---------------------------------------------------------------------------------


@kernel
def round_one(count: float) -> float:
    """One count as a whole number."""
    return np.rint(np.rint(count * GRAIN) / GRAIN)


def fisher_log_p(c1: ArrayLike, big_c1: ArrayLike, c2: ArrayLike, big_c2: ArrayLike) -> FloatArray:
    """The ln p of Fisher's exact test, two-sided, on the rounded counts (see `round_counts`).

    A sample that rounds to nothing cannot differ from another: ln p = 0.

    Examples
    --------
    >>> fisher_log_p(0, 1e6, [0, 10, 1000], 1e6).round(3)
    array([   0.   ,   -6.238, -692.704])
    """
    counts = round_counts(_samples(c1, big_c1, c2, big_c2))
    return fisher_log_p_all(*counts.reshape(4, -1)).reshape(counts.shape[1:])


def fisher_p(c1: ArrayLike, big_c1: ArrayLike, c2: ArrayLike, big_c2: ArrayLike) -> FloatArray:
    """The p-value of Fisher's exact test, two-sided: all tables no likelier than the one seen.

    It is that of ``scipy.stats.fisher_exact([[c1, C1 - c1], [c2, C2 - c2]])``, save that tables
    as likely as the one seen are recognised exactly, and that p is given for large counts too.

    Examples
    --------
    >>> fisher_p(8, 10, 1, 6).round(6)
    np.float64(0.034965)
    """
    return np.asarray(np.exp(fisher_log_p(c1, big_c1, c2, big_c2)))


# --- both -----------------------------------------------------------------------------------


@kernel
def compare_one(
    c1: float,
    big_c1: float,
    c2: float,
    big_c2: float,
    theta_alpha: float,
    log_alpha: float,
    fisher_below: float,
) -> tuple[bool, float, float]:
    """One comparison at the level α that is given as θ(α) and ln α.

    Returns
    -------
    equal, d, log_p
        The verdict, the dissimilarity and, where Fisher's test decided, ln p (else nan).

    Examples
    --------
    >>> equal, d, log_p = compare_one(50.0, 100.0, 80.0, 100.0, theta(0.05), math.log(0.05), 20.0)
    >>> equal, round(d, 6), log_p
    (False, 4.5, nan)
    """
    d = dissimilarity_one(c1, big_c1, c2, big_c2)
    if min(big_c1, big_c2) >= fisher_below:
        return d < theta_alpha, d, np.nan
    log_p = fisher_log_p_one(
        round_one(min(c1, big_c1)),
        round_one(big_c1),
        round_one(min(c2, big_c2)),
        round_one(big_c2),
    )
    return log_p >= log_alpha - SAME_P, d, log_p


@kernel
def _compare_all(
    c1: FloatArray,
    big_c1: FloatArray,
    c2: FloatArray,
    big_c2: FloatArray,
    theta_alpha: float,
    log_alpha: float,
    fisher_below: float,
) -> tuple[NDArray[np.bool_], FloatArray, FloatArray]:
    equal = np.empty(len(c1), np.bool_)
    d = np.empty(len(c1))
    log_p = np.empty(len(c1))
    for i in range(len(c1)):
        equal[i], d[i], log_p[i] = compare_one(
            c1[i], big_c1[i], c2[i], big_c2[i], theta_alpha, log_alpha, fisher_below
        )
    return equal, d, log_p


def compare_reference(
    c1: float, big_c1: float, c2: float, big_c2: float, alpha: float, fisher_below: float
) -> tuple[bool, Fraction, Fraction | None]:
    """One comparison in exact arithmetic: the verdict, D, and p where Fisher's test decided.

    The level of Fisher's test is the decimal number that `alpha` is written as, not the double
    next to it.
    """
    d = dissimilarity_reference(c1, big_c1, c2, big_c2)
    if min(big_c1, big_c2) >= fisher_below:
        return float(d) < theta(alpha), d, None
    p = fisher_p_reference(
        round_count_reference(min(c1, big_c1)),
        round_count_reference(big_c1),
        round_count_reference(min(c2, big_c2)),
        round_count_reference(big_c2),
    )
    return p >= Fraction(repr(float(alpha))), d, p


def compare_proportions(
    c1: ArrayLike,
    big_c1: ArrayLike,
    c2: ArrayLike,
    big_c2: ArrayLike,
    alpha: float,
    fisher_below: float = FISHER_BELOW,
) -> Comparisons:
    """Compare proportions: Hoeffding's test, or Fisher's where a sample is small.

    Parameters
    ----------
    c1, big_c1, c2, big_c2
        The counts, from 0 to 10^12; those of the samples, C1 and C2, greater than 0.
    alpha
        The level, in (0, 1].
    fisher_below
        Fisher's test decides where min(C1, C2) is below this; 0 for never.

    Examples
    --------
    >>> result = compare_proportions([5, 50], [10, 100], [9, 80], [10, 100], alpha=0.1)
    >>> result.test
    array(['fisher', 'hoeffding'], dtype='<U9')
    >>> result.equal
    array([ True, False])
    >>> result.p_value.round(6)
    array([0.140867,      nan])
    >>> result.flips_at.round(6)
    array([0.140867, 0.000247])
    """
    theta_alpha, log_alpha = theta(alpha), math.log(alpha)
    if not fisher_below >= 0.0:
        raise OptionError(f"fisher_below must be 0 or greater, not {fisher_below!r}")
    counts = _samples(c1, big_c1, c2, big_c2)
    shape = counts.shape[1:]
    s1, n1, s2, n2 = counts.reshape(4, -1)
    equal, d, log_p = _compare_all(s1, n1, s2, n2, theta_alpha, log_alpha, float(fisher_below))
    return Comparisons(
        test=np.where(np.isnan(log_p), "hoeffding", "fisher").reshape(shape),
        d=d.reshape(shape),
        bound=hoeffding_bound(counts[1], counts[3], alpha),
        p_value=np.exp(log_p).reshape(shape),
        equal=equal.reshape(shape),
    )
