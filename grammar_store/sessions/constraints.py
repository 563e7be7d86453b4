"""Pairs that must, and pairs that cannot, end up in one class."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from grammar_store.errors import ConstraintError
from grammar_store.sessions.line import Line

Pair = tuple[int, int]


class Constraints:
    """The constraints of a session.

    What counts are *groups*: classes united along all pairs that must merge, as they will be
    one day. No group may hold a pair that cannot merge, and whoever is promoted may not
    be in a group with another class that was promoted.

    Parameters
    ----------
    rows
        Kind (``must`` or ``cannot``) and the two ids of each.
    """

    def __init__(self, rows: Iterable[tuple[str, int, int]]) -> None:
        self.must: list[Pair] = []
        self.cannot: list[Pair] = []
        for kind, first, second in rows:
            (self.must if kind == "must" else self.cannot).append((first, second))

    def pending(self, line: Line) -> list[Pair]:
        """The pairs that must merge and have not yet."""
        return [pair for pair in self.must if line.root_of(pair[0]) != line.root_of(pair[1])]

    def stretches(self, displaced: NDArray[np.int32]) -> list[tuple[int, int]]:
        """Cut new steps so that it is enough to look at the end of each stretch.

        Classes only grow: a pair that cannot merge and does is together at the end, too. A
        promotion is looked at just after it.
        """
        cuts = (np.flatnonzero(displaced == 0) + 1).tolist() if self.must else []
        ends = [*(cut for cut in cuts if cut < len(displaced)), len(displaced)]
        return list(zip([0, *ends], ends, strict=False))

    def require_met(self, line: Line) -> None:
        """Refuse the last steps if they break a constraint."""
        if not self.must and not self.cannot:
            return
        groups = _Groups(line, self.must)
        for first, second in self.cannot:
            if groups.of(first) == groups.of(second):
                raise ConstraintError(
                    f"a constraint says that X{first} and X{second} cannot merge, but both would"
                    f" belong to {groups.named(first, second)}"
                )
        if self.must and line.steps and not line.displaced[-1]:
            groups.require_one_promoted(int(line.leader[-1]))

    def require_possible(self, line: Line, kind: str, pair: Pair) -> None:
        """Refuse a constraint that the session contradicts, or that contradicts another."""
        first, second = pair
        groups = _Groups(line, [*self.must, pair] if kind == "must" else self.must)
        if kind == "cannot" and groups.of(first) == groups.of(second):
            raise ConstraintError(
                f"X{first} and X{second} cannot be kept apart: both belong to"
                f" {groups.named(first, second)}"
            )
        for low, high in self.cannot:
            if groups.of(low) == groups.of(high):
                raise ConstraintError(
                    f"X{first} and X{second} cannot be made to merge: a constraint says that X{low}"
                    f" and X{high} cannot, and both would belong to {groups.named(low, high)}"
                )
        if kind == "must":
            groups.require_one_promoted(first)


class _Groups:
    """The classes united along the pairs that must merge."""

    def __init__(self, line: Line, must: Iterable[Pair]) -> None:
        self._line = line
        self._up: dict[int, int] = {}
        self._ids: set[int] = set()
        for first, second in must:
            self._ids |= {first, second}
            self._up[self.of(first)] = self.of(second)

    def of(self, member: int) -> int:
        place = self._line.root_of(member)
        while (above := self._up.get(place, place)) != place:
            place = above
        return place

    def named(self, first: int, second: int) -> str:
        """The classes of the group of two non-terminals, in words."""
        group = self.of(first)
        ids = {first, second, *(each for each in self._ids if self.of(each) == group)}
        leaders = sorted({self._line.leader_of(each) for each in ids})
        names = " and ".join(f"X{leader}" for leader in leaders)
        if len(leaders) == 1:
            return f"the class of {names}"
        return f"the classes of {names}, which must merge"

    def require_one_promoted(self, member: int) -> None:
        group = self.of(member)
        found = {
            self._line.leader_of(each)
            for each in {member, *self._ids}
            if self.of(each) == group and self._line.is_promoted(each)
        }
        if len(found) > 1:
            names = " and ".join(f"X{leader}" for leader in sorted(found))
            raise ConstraintError(
                f"{names} must merge by constraints, but both would be promoted: merge them first"
            )
