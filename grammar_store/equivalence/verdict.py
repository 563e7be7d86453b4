"""A verdict: whether two classes are equivalent, and why (docs/definitions.md, D7 and D8)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from grammar_store.show import html
from grammar_store.show import verdicts as show
from grammar_store.statistics import alpha_at, theta

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Class(NamedTuple):
    """A class by its leader: the id and the text of the phrase pair that it stands for."""

    id: int
    source: str
    target: str

    @property
    def name(self) -> str:
        """Such as ``X12``."""
        return f"X{self.id}"

    def __str__(self) -> str:
        return f"{self.name} ({self.source} ||| {self.target})"

    def _repr_html_(self) -> str:
        return html.fragment(f"<p>{show.class_name(self)}</p>")


class Comparison(NamedTuple):
    """One comparison of two classes in one context."""

    depth: int
    first: Class
    second: Class
    source: str
    target: str
    c1: float
    big_c1: float
    c2: float
    big_c2: float
    d: float
    bound: float
    test: str
    p_value: float | None
    equal: bool

    @property
    def context(self) -> str:
        """The context on both sides, such as ``das [_] | the [_]``."""
        return f"{self.source} | {self.target}"

    def __str__(self) -> str:
        shares = f"{_share(self.c1, self.big_c1)} against {_share(self.c2, self.big_c2)}"
        relation = "<" if self.equal else ">="
        if self.p_value is None:
            gap = abs(min(self.c1 / self.big_c1, 1.0) - min(self.c2 / self.big_c2, 1.0))
            why = f"difference {gap:.4g} {relation} {self.bound:.4g}, D = {self.d:.4g}"
        else:
            why = f"Fisher's p = {self.p_value:.4g}, D = {self.d:.4g}"
        return f"{self.context}: {shares} ({why})"


class Step(NamedTuple):
    """A step of the recursion: a pair of classes and the shared context that led on from it."""

    first: Class
    second: Class
    source: str
    target: str

    def __str__(self) -> str:
        return f"{self.first} and {self.second} share {self.source} | {self.target}"


@dataclass(frozen=True)
class Verdict:
    """Whether two classes are equivalent at a level, with the reasons.

    Attributes
    ----------
    first, second
        The classes compared.
    alpha, fisher_below
        The level, and the count below which Fisher's test takes over.
    equivalent
        The outcome. A verdict is true in conditions if this is.
    insufficient
        Whether they are equivalent only because both are too rare for any test to fail.
    dissimilarity
        The greatest D of all comparisons; None where a pruned store cannot tell.
    deciding
        The comparison that decided: the first that failed (least depth, then greatest D),
        else the one closest to failing (greatest D). None if there was none.
    path
        The steps of the recursion that lead to the deciding comparison.
    """

    first: Class
    second: Class
    alpha: float
    fisher_below: float
    equivalent: bool
    insufficient: bool
    dissimilarity: float | None
    deciding: Comparison | None
    path: tuple[Step, ...]
    _make_comparisons: Callable[[], pd.DataFrame]

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """All comparisons, in the order of the search; their text is read when asked for."""
        return self._make_comparisons()

    def __bool__(self) -> bool:
        return self.equivalent

    @cached_property
    def flips_at(self) -> float:
        """The level at which the deciding comparison, taken alone, flips (1: at none)."""
        if self.deciding is None:
            return 1.0
        if self.deciding.p_value is not None:
            return self.deciding.p_value
        return float(alpha_at(self.deciding.d))

    @property
    def outcome(self) -> str:
        """The outcome in words, after the names of the two."""
        if self.insufficient:
            return "cannot be told apart: too few observations for any test to fail"
        return "are equivalent" if self.equivalent else "are not equivalent"

    @property
    def threshold(self) -> float:
        """θ(α), below which D must stay in a comparison by Hoeffding's bound."""
        return float(theta(self.alpha))

    def _repr_html_(self) -> str:
        return show.verdict(self)

    def __repr__(self) -> str:
        first, second = self.first.name, self.second.name
        return f"<Verdict: {first} and {second} {self.outcome} at alpha = {self.alpha:g}>"

    def __str__(self) -> str:
        lines = [f"{self.first} and {self.second} {self.outcome} at alpha = {self.alpha:g}"]
        lines += [f"  {step}, whose left-hand sides must be equivalent" for step in self.path]
        if self.deciding is not None:
            lead = "closest to failing" if self.equivalent else "fails"
            pair = f" of {self.deciding.first} and {self.deciding.second}" if self.path else ""
            lines.append(f"  {lead}{pair}: {self.deciding}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The verdict without the list of comparisons, for JSON."""
        deciding = self.deciding
        return {
            "first": self.first._asdict(),
            "second": self.second._asdict(),
            "alpha": self.alpha,
            "fisher_below": self.fisher_below,
            "equivalent": self.equivalent,
            "insufficient": self.insufficient,
            "dissimilarity": self.dissimilarity,
            "flips_at": self.flips_at,
            "deciding": deciding
            and {
                **deciding._asdict(),
                "first": deciding.first._asdict(),
                "second": deciding.second._asdict(),
            },
            "path": [
                {
                    "first": step.first._asdict(),
                    "second": step.second._asdict(),
                    "context": {"source": step.source, "target": step.target},
                }
                for step in self.path
            ],
        }

    def plot(self, most: int = 20) -> Figure:
        """A bar of D for each of the comparisons with the greatest D, and the line at θ(α)."""
        from grammar_store.pictures.waterfall import waterfall

        return waterfall(self, most)


def _share(c: float, big_c: float) -> str:
    """A proportion as a fraction if it is a simple one.

    Examples
    --------
    >>> _share(1 / 6, 1), _share(1 / 3, 2), _share(0.0, 2), _share(5, 2), _share(0.12345678, 1)
    ('1/6', '1/6', '0', '1', '0.1235')
    """
    proportion = min(c / big_c, 1.0)
    simple = Fraction(proportion).limit_denominator(1000)
    return str(simple) if abs(float(simple) - proportion) < 1e-12 else f"{proportion:.4g}"
