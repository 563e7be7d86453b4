"""Fisher's exact test, two-sided, compiled.

The table of two samples, c1 of C1 and c2 of C2, is::

    a = c1   b = C1 - c1
    c = c2   d = C2 - c2

With its margins fixed, the tables that could have been seen are ``a+k, b-k, c-k, d+k``, and

    P(k+1) / P(k) = (b-k) (c-k) / ((a+k+1) (d+k+1)).

The p-value is the sum of P(k) over all tables that are no likelier than the one seen, the
tables of *equal* probability among them. A tie decides whether a whole table counts, so ties
are decided exactly, not within a tolerance.

P does not change when rows, columns, or rows with columns are exchanged. Every table is first
brought to the one of these eight forms with

- ``ad < bc``: the seen table lies below the mode, so all smaller k are less likely, and
- ``a <= d`` and ``b <= c``: a + b is the smallest margin, and k runs from -a to b.

So exchanging the samples gives the same bits. A table at the mode has p = 1.

Counts are whole numbers kept in float64, which holds them exactly; products of two counts
may need twice the digits and are compared as such. Numbers called ``high, low`` are such pairs,
whose sum is the value meant.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel

# The largest smallest margin for which every table is enumerated. The likeliest table is at most
# (2e12)^24 < 1e296 times as likely as the one seen, so no term overflows.
ENUMERATED = 24
# Closer to 1 than this, a ratio of probabilities found by multiplying doubles may be a tie.
NEAR = 1e-12
# The most factors of a ratio that are multiplied out to decide a tie (under 0.1 s). Only tables
# with a standard deviation of thousands need more, by coincidence, and there one table more
# or less is a small part of p.
TIE_FACTORS = 1_000_000
# From here on five terms of Stirling's series give every digit of a double.
STIRLING_FROM = 16


def fisher_p_reference(c1: int, big_c1: int, c2: int, big_c2: int) -> Fraction:
    """The p-value as a fraction, by the definition: slow, exact, for whole counts.

    Examples
    --------
    >>> fisher_p_reference(8, 10, 1, 6)
    Fraction(5, 143)
    """
    seen = c1 + c2
    ways = {
        x: math.comb(big_c1, x) * math.comb(big_c2, seen - x)
        for x in range(max(0, seen - big_c2), min(big_c1, seen) + 1)
    }
    extreme = sum(way for way in ways.values() if way <= ways[c1])
    return Fraction(extreme, math.comb(big_c1 + big_c2, seen))


def _small_excesses() -> NDArray[np.float64]:
    """`_stirling_excess` of the numbers before the series is good enough, correctly rounded."""
    with localcontext() as context:
        context.prec = 40
        excesses = [Decimal(0)]
        for n in range(1, STIRLING_FROM):
            log_factorial = Decimal(math.factorial(n)).ln()
            excesses.append(log_factorial - n * Decimal(n).ln() + n)
    return np.array([float(excess) for excess in excesses])


_SMALL_EXCESSES = _small_excesses()


@kernel(error_model="numpy")
def _stirling_excess(n: float) -> float:
    """The excess of ln n! over n ln n - n, small: so sums of large terms need no difference."""
    if n < STIRLING_FROM:
        return _SMALL_EXCESSES[int(n)]
    s = 1.0 / (n * n)
    series = 1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))
    return 0.5 * math.log(2.0 * math.pi * n) + series / n


@kernel(error_model="numpy")
def _exact_product(x: float, y: float) -> tuple[float, float]:
    """The product x y as high, low (Dekker)."""
    high = x * y
    split = 134217729.0 * x
    x_high = split - (split - x)
    x_low = x - x_high
    split = 134217729.0 * y
    y_high = split - (split - y)
    y_low = y - y_high
    low = ((x_high * y_high - high) + x_high * y_low + x_low * y_high) + x_low * y_low
    return high, low


@kernel(error_model="numpy")
def _exceeds(w: float, x: float, y: float, z: float) -> bool:
    """Whether w x > y z, exactly. Rounding is monotone, so only equal products need more."""
    left = w * x
    right = y * z
    if left != right:
        return left > right
    return _exact_product(w, x)[1] > _exact_product(y, z)[1]


@kernel(error_model="numpy")
def _ratio_exceeds_one(a: float, b: float, c: float, d: float, k: int) -> bool:
    """Whether P(k) > P(0), by multiplying out their ratio with some 31 digits.

    Factors above 1 come first in the product and those below 1 last. Taking them from
    either end, whichever leads back towards 1, keeps it from overflowing.
    """
    high, low = 1.0, 0.0
    first, last = 0, k - 1
    while first <= last:
        if high < 1.0:
            j = first
            first += 1
        else:
            j = last
            last -= 1
        n_high, n_low = _exact_product(b - j, c - j)
        d_high, d_low = _exact_product(a + j + 1, d + j + 1)
        # (high, low) *= (n_high, n_low)
        product, rest = _exact_product(high, n_high)
        rest += high * n_low + low * n_high
        high = product + rest
        low = rest - (high - product)
        # (high, low) /= (d_high, d_low)
        quotient = high / d_high
        product, rest = _exact_product(quotient, d_high)
        rest = ((high - product) - rest + low - quotient * d_low) / d_high
        high = quotient + rest
        low = rest - (high - quotient)
    return (high - 1.0) + low > 1e-30 * k


@kernel(error_model="numpy")
def _enumerated_log_p(a: float, b: float, c: float, d: float) -> float:
    """The ln p by going through all tables, with probabilities relative to the one seen."""
    extreme = 1.0
    term = 1.0
    for k in range(int(a)):
        term *= ((a - k) * (d - k)) / ((b + k + 1) * (c + k + 1))
        extreme += term
    likelier = 0.0
    term = 1.0
    for k in range(int(b)):
        term *= ((b - k) * (c - k)) / ((a + k + 1) * (d + k + 1))
        if term > 1.0 + NEAR or (term > 1.0 - NEAR and _ratio_exceeds_one(a, b, c, d, k + 1)):
            likelier += term
        else:
            extreme += term
    return math.log(extreme / (extreme + likelier))


@kernel(error_model="numpy")
def _deviance(seen: float, expected: float, excess: float) -> float:
    """Seen ln(seen / expected) - excess, where excess = seen - expected (Loader's bd0).

    The excess is given, because the difference of the rounded numbers has too few digits.
    """
    if seen == 0.0:
        return expected
    if abs(excess) >= 0.1 * (seen + expected):
        return seen * math.log(seen / expected) - excess
    v = excess / (seen + expected)
    total = excess * v
    power = 2.0 * seen * v
    j = 1
    while True:
        power *= v * v
        following = total + power / (2 * j + 1)
        if following == total:
            return total
        total = following
        j += 1


@kernel(error_model="numpy")
def _log_likelihood(a: float, b: float, c: float, d: float) -> float:
    """The part of ln P that depends on the cells, not on the margins alone.

    With n! = n^n e^-n e^excess(n) the powers make up the deviance from the expected cells,
    a sum of four terms >= 0, so nothing cancels; every cell is off by the same (ad - bc) / N.
    """
    n = (a + b) + (c + d)
    ad, ad_low = _exact_product(a, d)
    bc, bc_low = _exact_product(b, c)
    excess = ((ad - bc) + (ad_low - bc_low)) / n
    deviance = (
        _deviance(a, (a + b) * ((a + c) / n), excess)
        + _deviance(b, (a + b) * ((b + d) / n), -excess)
        + _deviance(c, (c + d) * ((a + c) / n), -excess)
        + _deviance(d, (c + d) * ((b + d) / n), excess)
    )
    cells = (_stirling_excess(a) + _stirling_excess(d)) + (
        _stirling_excess(b) + _stirling_excess(c)
    )
    return -deviance - cells


@kernel(error_model="numpy")
def _tail(a: float, b: float, c: float, d: float) -> float:
    """Sum of P(k) / P(0) over k <= 0, where P falls with falling k.

    The ratio of neighbours falls too, so what is left out is less than a geometric series.
    """
    total = 1.0
    term = 1.0
    while a > 0.0:
        b += 1.0
        c += 1.0
        ratio = (a * d) / (b * c)
        term *= ratio
        total += term
        if term * ratio < 1e-18 * (1.0 - ratio) * total:
            break
        a -= 1.0
        d -= 1.0
    return total


@kernel(error_model="numpy")
def _summed_log_p(a: float, b: float, c: float, d: float) -> float:
    """The ln p from the probability of the table seen and the two tails, cut where they fade."""
    margins = (
        (_stirling_excess(a + b) + _stirling_excess(c + d))
        + (_stirling_excess(a + c) + _stirling_excess(b + d))
        - _stirling_excess((a + b) + (c + d))
    )
    seen = _log_likelihood(a, b, c, d)
    near = 1e-14 * (16.0 + abs(seen))
    # With two equal margins P is symmetric, and the mirror image of the table is a tie.
    mirror = int(b - a) if a + c == b + d else -1

    # Bisection: P(likelier) > P(0) >= P(other), where other = b + 1 means that there is none.
    likelier, other = 1, int(b) + 1
    while other - likelier > 1:
        k = (likelier + other) // 2
        gain = _log_likelihood(a + k, b - k, c - k, d + k) - seen
        if k == mirror:
            exceeds = False
        elif abs(gain) <= near and k <= TIE_FACTORS:
            exceeds = _ratio_exceeds_one(a, b, c, d, k)
        else:
            exceeds = gain > near
        if exceeds:
            likelier = k
        else:
            other = k

    total = _tail(a, b, c, d)
    if other <= b:
        k = other
        gain = _log_likelihood(a + k, b - k, c - k, d + k) - seen
        total += math.exp(min(gain, 0.0)) * _tail(b - k, a + k, d + k, c - k)
    return min(seen + margins + math.log(total), 0.0)


@kernel(error_model="numpy")
def fisher_log_p_one(c1: float, big_c1: float, c2: float, big_c2: float) -> float:
    """The ln p of one table of whole counts, c1 of C1 against c2 of C2; for use in other kernels.

    The relative error of p is below 1e-9 for counts up to 10^12, and about 1e-14 where one
    margin is small. Time is bounded: 0.1 µs for a small margin, some tens of ms for
    two samples of 10^12.

    Examples
    --------
    >>> round(math.exp(fisher_log_p_one(8.0, 10.0, 1.0, 6.0)), 12) == round(5 / 143, 12)
    True
    """
    a, b, c, d = c1, big_c1 - c1, c2, big_c2 - c2
    if _exceeds(a, d, b + 1, c + 1):
        a, b, c, d = b, a, d, c
    elif not _exceeds(b, c, a + 1, d + 1):
        return 0.0
    if a > d:
        a, d = d, a
    if b > c:
        b, c = c, b
    if a + b <= ENUMERATED:
        return _enumerated_log_p(a, b, c, d)
    return _summed_log_p(a, b, c, d)


@kernel
def fisher_log_p_all(
    c1: NDArray[np.float64],
    big_c1: NDArray[np.float64],
    c2: NDArray[np.float64],
    big_c2: NDArray[np.float64],
) -> NDArray[np.float64]:
    """`fisher_log_p_one` of every row of four one-dimensional arrays."""
    log_p = np.empty(len(c1))
    for i in range(len(c1)):
        log_p[i] = fisher_log_p_one(c1[i], big_c1[i], c2[i], big_c2[i])
    return log_p
