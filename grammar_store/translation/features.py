"""The features of rules: probabilities from counts, lexical weights, and a penalty.

With f the source side, e the target side and c the count of a rule: p(f|e) = c / c(e),
p(e|f) = c / c(f) and p(r|lhs) = c / c(lhs), where c(f), c(e) and c(lhs) add up the counts of all
rules with the same source side, target side or label on the left. The source side is its words and
the labels of its gaps; the target side also has the label on the left, as in Moses, where labels
belong to the target side.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from grammar_store.errors import OptionError
from grammar_store.export.rules import SCORES
from grammar_store.translation.counting import CountedRules, sums

Smoothing = Literal["none", "good-turing"]

FEATURES = (*SCORES, "p(r|lhs)", "penalty")
"""The names of the features, those of a Moses table first."""

# As in Moses: counts of counts up to this, and something added to each so that none is 0.
_MOST = 10
_ADDED = 0.1
_LEAST = 0.01
_SLACK = 1e-5


def require_smoothing(name: str) -> None:
    """Refuse what is no kind of smoothing."""
    if name not in get_args(Smoothing):
        raise OptionError(f"smoothing must be one of {get_args(Smoothing)}, not {name!r}")


class Features:
    """The features of counted rules, made for some rows at a time.

    Parameters
    ----------
    rules
        The rules of a whole grammar.
    smoothing
        ``none``, or ``good-turing``: counts of 8 and less are discounted, see `discounts`.
    """

    def __init__(self, rules: CountedRules, smoothing: Smoothing = "none") -> None:
        self._rules = rules
        self._source = sums(rules.source, rules.counts)
        self._target = sums(rules.target, rules.counts)
        self._lhs = sums(rules.lhs, rules.counts)
        self._discounts = discounts(rules.counts) if smoothing == "good-turing" else None

    def source_counts(self, rows: slice) -> NDArray[np.float64]:
        """c(f) of some rules."""
        return self._source[self._rules.source[rows]]

    def target_counts(self, rows: slice) -> NDArray[np.float64]:
        """c(e) of some rules."""
        return self._target[self._rules.target[rows]]

    def of(self, rows: slice, lexical: NDArray[np.float64]) -> NDArray[np.float64]:
        """The features of some rules, a row each, in the order of `FEATURES`.

        Parameters
        ----------
        rows
            Which rules.
        lexical
            Their lexical weights, lex(f|e) and lex(e|f).
        """
        counts = self._rules.counts[rows]
        if self._discounts is not None:
            counts = counts * self._discounts[_whole(counts)]
        return np.stack(
            [
                counts / self.target_counts(rows),
                lexical[:, 0],
                counts / self.source_counts(rows),
                lexical[:, 1],
                counts / self._lhs[self._rules.lhs[rows]],
                np.ones(len(counts)),
            ],
            axis=1,
        )


def _whole(counts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Counts rounded up to whole numbers, from 1 to 10."""
    return np.clip(np.ceil(counts - _SLACK), 1, _MOST).astype(np.int64)


def discounts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """What Good and Turing multiply counts by, for counts (rounded up) from 0 to 10.

    With N(i) the number of rules of count i, the discount of i is
    (i + 1) / i · (N(i + 1) + 0.1) / (N(i) + 0.1), at most 1 and not less than that of i - 1. From 9
    on counts stay as they are. This is what Moses does.

    Examples
    --------
    >>> np.round(discounts(np.array([1.0] * 10 + [2.0] * 3 + [0.5])), 3).tolist()
    [0.01, 0.559, 0.559, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    """
    number = np.bincount(_whole(counts), minlength=_MOST + 1) + _ADDED
    found = np.ones(_MOST + 1)
    found[0] = _LEAST
    for i in range(1, _MOST - 1):
        ratio = (i + 1) / i * number[i + 1] / number[i]
        found[i] = max(min(ratio, 1.0), found[i - 1])
    return found
