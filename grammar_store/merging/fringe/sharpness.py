"""How small a sample without a single count can tell itself from a class.

A class with the proportion c/C in some context is *sharp*: a sample of n that lacks the context
fails against it if n is large enough. Most non-terminals are rare and have no count above 1/2,
which Fisher's test rounds to 0: that is all that they can fail by.
"""

from __future__ import annotations

from math import lgamma

import numpy as np

from grammar_store.compiling import kernel
from grammar_store.equivalence.search import Level
from grammar_store.merging.fringe.compiling import inner

_SLACK = 1e-6
_MOST = 2.0**40


@kernel
def sharpness(c: float, total: float, level: Level) -> float:
    """A number that n must reach for 0 of n to fail against c of `total`, or against less.

    Below it no such comparison fails; from it on it may. p of Fisher's test is at least the
    probability of the table itself, which falls with n and with c; D grows with both.

    Examples
    --------
    >>> level = Level(2.649158683274018, float(np.log(0.01)), 20.0)
    >>> sharpness(99.0, 99.0, level), sharpness(50.0, 100.0, level), sharpness(0.4, 1.0, level)
    (1.0, 8.0, inf)
    """
    below = level.fisher_below
    if below > 0.0:
        k = min(np.floor(c + 0.5 + _SLACK), total)  # at least what the count is rounded to
        last = np.inf if total < below else np.ceil(below) - 1.0
        if k >= 1.0:
            # The least n from 1 on at which the table is less likely than the level.
            high = 1.0
            while high < min(last, _MOST) and not _unlikely(k, total, high, level.log_alpha):
                high *= 2.0
            high = min(high, last)
            if high >= 1.0 and _unlikely(k, total, high, level.log_alpha):
                low = 0.0
                while high - low > 1.0:
                    middle = np.floor((low + high) / 2.0)
                    if _unlikely(k, total, middle, level.log_alpha):
                        high = middle
                    else:
                        low = middle
                return high
        if total < below:
            return np.inf
    p = min(c / total, 1.0)
    if p <= 0.0:
        return np.inf
    least = level.theta * (1.0 - 1e-9) / (p * p)  # what h = C n / (C + n) must reach
    if total <= least:
        return np.inf
    return max(below, least * total / (total - least) * (1.0 - 1e-9))


@inner
def _unlikely(k: float, total: float, n: float, log_alpha: float) -> bool:
    """Whether "all k are among the `total`, none among the n" may have a probability below α."""
    greatest = lgamma(total + n + 1.0)
    log_p = lgamma(total + 1.0) - lgamma(total - k + 1.0) - greatest + lgamma(total + n - k + 1.0)
    return log_p < log_alpha + _SLACK + 1e-15 * greatest  # the last digits of lgamma are lost
