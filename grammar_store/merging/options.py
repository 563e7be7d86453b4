"""What Blue-Fringe is told: its options and scores (docs/definitions.md, D10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from grammar_store.errors import OptionError
from grammar_store.statistics import FISHER_BELOW, check_alpha

Leaves = Literal["red", "blue"]
Ties = Literal["text", "random"]
Score = Callable[[int, int], Any]

SCORES: dict[str, Score] = {
    # The evidence of a comparison of the two: what a difference in proportions is weighed with.
    "evidence": lambda red, blue: Fraction(red * blue, red + blue),
    "sum": lambda red, blue: red + blue,
    "minimum": min,
}
"""How much a merge of classes with these counts is worth; the greatest is made first."""


@dataclass(frozen=True)
class FringeOptions:
    """How Blue-Fringe decides.

    Parameters
    ----------
    alpha, fisher_below
        The level of the tests, and below which count Fisher's is used.
    score
        A name of `SCORES`, or a function of the counts of the red and the blue class.
    ties
        How to choose among what is equally good: by count, then by ``text``, or, as in the
        paper, at ``random``: in an order that is drawn once.
    seed
        For random ties.
    leaves
        ``red``: non-terminals with only a lexical rule are red from the start; ``blue``: only
        the most frequent of them is, the others are merged or promoted like all else.
    fold
        Also merge left-hand sides that a merge gives the same right-hand side.
    """

    alpha: float = 0.01
    fisher_below: float = FISHER_BELOW
    score: str | Score = "evidence"
    ties: Ties = "text"
    seed: int = 0
    leaves: Leaves = "red"
    fold: bool = False

    def __post_init__(self) -> None:
        check_alpha(self.alpha)
        if not self.fisher_below >= 0:
            raise OptionError(f"fisher_below must be at least 0, not {self.fisher_below}")
        if isinstance(self.score, str) and self.score not in SCORES:
            raise OptionError(f"score must be one of {', '.join(SCORES)}, not {self.score!r}")
        for name, kind in (("leaves", Leaves), ("ties", Ties)):
            value = getattr(self, name)
            if value not in get_args(kind):
                raise OptionError(f"{name} must be one of {get_args(kind)}, not {value!r}")

    def worth(self, red: int, blue: int) -> Any:
        """The score of a merge.

        Examples
        --------
        >>> FringeOptions().worth(6, 3), FringeOptions(score="minimum").worth(6, 3)
        (Fraction(2, 1), 3)
        """
        score = SCORES[self.score] if isinstance(self.score, str) else self.score
        return score(red, blue)

    def places(self, by_text: NDArray[np.int32]) -> NDArray[np.int32]:
        """Where each non-terminal comes among those of the same count, by id from 0.

        Parameters
        ----------
        by_text
            Where each of them comes by text, from 1; 0 at 0.
        """
        if self.ties == "text":
            return by_text
        order = np.random.default_rng(self.seed).permutation(len(by_text) - 1) + 1
        return np.concatenate([[0], order]).astype(np.int32)
