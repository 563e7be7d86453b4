"""The steps that a session sees, and the classes that they make, in memory.

A union-find that can go back: classes are trees, the smaller is hung under the greater and paths
are never compressed, so a leader is found in a few steps and the last merge is undone by cutting
one link. The members of a class are linked in a ring; two rings become one by swapping two links,
and two again by swapping them back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.errors import SessionError
from grammar_store.sessions.hashing import START


class Arrays(NamedTuple):
    """By id of a non-terminal, then by step from 0."""

    up: NDArray[np.int32]
    ring: NDArray[np.int32]
    #: at the root of a class: how many members, their count, promotions and the leader
    size: NDArray[np.int32]
    total: NDArray[np.int64]
    promotions: NDArray[np.int32]
    name: NDArray[np.int32]
    #: 0 for a promotion
    displaced: NDArray[np.int32]
    leader: NDArray[np.int32]
    #: the root that was hung under another
    hung: NDArray[np.int32]


class Line:
    """All steps of a session, those from its parents included.

    Parameters
    ----------
    counts
        The count of each non-terminal by id from 0, with anything at 0.

    Examples
    --------
    >>> line = Line(np.array([0, 5, 3, 2, 1]))
    >>> line.extend(np.array([3, 4]), np.array([2, 2]))
    >>> line.leader_of(4), line.members_of(4), line.count_of(4)
    (2, [2, 3, 4], 6)
    >>> line.truncate(1)
    >>> line.leader_of(4), line.members_of(2)
    (4, [2, 3])
    """

    def __init__(self, counts: NDArray[np.int64]) -> None:
        self.size = len(counts)
        self.steps = 0
        ids = np.arange(self.size, dtype=np.int32)
        # A session displaces each non-terminal at most once and promotes each class at most
        # once: there are never more steps than this. Pages not used take no memory.
        most = 2 * self.size
        self._arrays = Arrays(
            ids.copy(),
            ids.copy(),
            np.ones(self.size, np.int32),
            counts.astype(np.int64),
            np.zeros(self.size, np.int32),
            ids.copy(),
            np.empty(most, np.int32),
            np.empty(most, np.int32),
            np.empty(most, np.int32),
        )
        self._cause = np.empty(most, np.int64)
        self._hash = np.empty(most, np.uint64)

    @property
    def displaced(self) -> NDArray[np.int32]:
        """Who was displaced in each step; 0 for a promotion."""
        return self._arrays.displaced[: self.steps]

    @property
    def leader(self) -> NDArray[np.int32]:
        """Who stood for both after each step; for a promotion the one promoted."""
        return self._arrays.leader[: self.steps]

    def hash_at(self, step: int) -> int:
        """The hash of a step."""
        return int(self._hash[step - 1]) if step else START

    def extend(
        self,
        displaced: NDArray[np.int32],
        leader: NDArray[np.int32],
        cause: NDArray[np.int64] | None = None,
        hashes: NDArray[np.uint64] | None = None,
    ) -> None:
        """Take more steps, all or none.

        Raises
        ------
        SessionError
            A non-terminal in them is not the leader of its class at that step, or unknown.
        """
        start, end = self.steps, self.steps + len(displaced)
        made = _unite(self._arrays, start, displaced.astype(np.int32), leader.astype(np.int32))
        if made < len(displaced):
            _divide(self._arrays, start, start + made)
            raise SessionError(
                self._why_not(int(displaced[made]), int(leader[made]), start + made + 1)
            )
        self._cause[start:end] = 0 if cause is None else cause
        self._hash[start:end] = START if hashes is None else hashes
        self.steps = end

    def _why_not(self, displaced: int, leader: int, step: int) -> str:
        for each in (displaced, leader):
            if not 0 <= each < self.size or not leader:
                return f"step {step} names X{each}, which is no non-terminal of this store"
        if not displaced:
            return f"step {step} cannot promote X{leader}: it is promoted, or not a leader"
        return (
            f"step {step} cannot displace X{displaced} by X{leader}: they must be the leaders of"
            " two classes"
        )

    def truncate(self, steps: int) -> None:
        """Go back to the first `steps` steps."""
        _divide(self._arrays, steps, self.steps)
        self.steps = min(self.steps, steps)

    def leader_of(self, member: int) -> int:
        """The leader of the class of a non-terminal."""
        return int(self._arrays.name[self.root_of(member)])

    def root_of(self, member: int) -> int:
        """What tells the class of a non-terminal from other classes, until the next step."""
        return int(_root(self._arrays.up, member))

    def count_of(self, member: int) -> int:
        """The count of the class of a non-terminal."""
        return int(self._arrays.total[self.root_of(member)])

    def is_promoted(self, member: int) -> bool:
        """Whether a member of the class of a non-terminal was promoted."""
        return bool(self._arrays.promotions[self.root_of(member)])

    def members_of(self, member: int) -> list[int]:
        """The ids in the class of a non-terminal, sorted."""
        return sorted(_members(self._arrays, member).tolist())

    def dependants(self, step: int) -> list[int]:
        """The later steps that rest on a step, in order.

        These are the steps in which the class that it made takes part, those that one of them
        forced, and so on.
        """
        displaced, leader = self.displaced[step:].tolist(), self.leader[step:].tolist()
        cause = self._cause[step : self.steps].tolist()
        # Whoever takes part in a step is the leader of its class just then: it is enough to
        # follow the leaders of the classes in question.
        touched, found = {int(self.leader[step - 1])}, {step}
        for number, each in enumerate(zip(displaced, leader, cause, strict=True), step + 1):
            gone, stays, why = each
            if gone in touched or stays in touched or why in found:
                found.add(number)
                touched.discard(gone)
                touched.add(stays)
        return sorted(found - {step})


@kernel
def _root(up: NDArray[np.int32], member: int) -> int:
    while up[member] != member:
        member = up[member]
    return member


@kernel
def _unite(
    arrays: Arrays, start: int, displaced: NDArray[np.int32], leader: NDArray[np.int32]
) -> int:
    """Take steps; how many were taken before one that cannot be."""
    ids = len(arrays.up)
    for place in range(len(displaced)):
        low, high = displaced[place], leader[place]
        if not (0 <= low < ids and 0 < high < ids):
            return place
        to = _root(arrays.up, high)
        if arrays.name[to] != high:
            return place
        hung = 0
        if low == 0:
            if arrays.promotions[to]:
                return place
            arrays.promotions[to] = 1
        else:
            hung = _root(arrays.up, low)
            if hung == to or arrays.name[hung] != low:
                return place
            if arrays.size[hung] > arrays.size[to]:
                hung, to = to, hung
            arrays.up[hung] = to
            arrays.size[to] += arrays.size[hung]
            arrays.total[to] += arrays.total[hung]
            arrays.promotions[to] += arrays.promotions[hung]
            arrays.name[to] = high
            arrays.ring[hung], arrays.ring[to] = arrays.ring[to], arrays.ring[hung]
        step = start + place
        arrays.displaced[step], arrays.leader[step], arrays.hung[step] = low, high, hung
    return len(displaced)


@kernel
def _divide(arrays: Arrays, start: int, end: int) -> None:
    """Take back the steps from the last, at `end`, to the one after `start`."""
    for step in range(end - 1, start - 1, -1):
        low, high, hung = arrays.displaced[step], arrays.leader[step], arrays.hung[step]
        if low == 0:
            arrays.promotions[_root(arrays.up, high)] -= 1
            continue
        to = arrays.up[hung]
        arrays.up[hung] = hung
        arrays.size[to] -= arrays.size[hung]
        arrays.total[to] -= arrays.total[hung]
        arrays.promotions[to] -= arrays.promotions[hung]
        arrays.name[to] = low if arrays.name[hung] == high else high
        arrays.ring[hung], arrays.ring[to] = arrays.ring[to], arrays.ring[hung]


@kernel
def _members(arrays: Arrays, member: int) -> NDArray[np.int32]:
    members = np.empty(arrays.size[_root(arrays.up, member)], np.int32)
    for place in range(len(members)):
        members[place] = member
        member = arrays.ring[member]
    return members
