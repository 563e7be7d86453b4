"""The history of a session in numbers: how large classes were, and how members came to them.

Steps are given as in `grammar_store.sessions.forest`: who was displaced, 0 for a promotion, and
by which leader.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel


class Moves(NamedTuple):
    """What each step did, by step from 0.

    Attributes
    ----------
    members, occurrences
        Of the class that was displaced or promoted, before the step.
    after
        The members of the class that the step made.
    """

    members: NDArray[np.int32]
    occurrences: NDArray[np.int64]
    after: NDArray[np.int32]


class Largest(NamedTuple):
    """The largest classes after some steps; a row for each of them.

    Attributes
    ----------
    leaders, members
        The leaders of the largest classes and how many members these have, the largest first;
        of equals the one with the greater count, then the one with the smaller id. Where there
        are fewer classes, 0 fills up.
    """

    leaders: NDArray[np.int32]
    members: NDArray[np.int32]


@kernel
def moves(
    displaced: NDArray[np.int32], leader: NDArray[np.int32], counts: NDArray[np.int64]
) -> Moves:
    """What each step did.

    Parameters
    ----------
    displaced, leader
        The steps.
    counts
        The count of each non-terminal by id, with anything at 0.

    Examples
    --------
    >>> found = moves(np.int32([3, 2, 0]), np.int32([2, 1, 1]), np.array([0, 9, 5, 2]))
    >>> found.members.tolist(), found.occurrences.tolist(), found.after.tolist()
    ([1, 2, 3], [2, 7, 16], [2, 3, 3])
    """
    steps = len(displaced)
    size, total = np.ones(len(counts), np.int32), counts.copy()
    members, occurrences = np.empty(steps, np.int32), np.empty(steps, np.int64)
    after = np.empty(steps, np.int32)
    for step in range(steps):
        gone, stays = displaced[step], leader[step]
        moved = gone if gone else stays
        members[step], occurrences[step] = size[moved], total[moved]
        if gone:
            size[stays] += size[gone]
            total[stays] += total[gone]
        after[step] = size[stays]
    return Moves(members, occurrences, after)


def largest_at(
    displaced: NDArray[np.int32],
    leader: NDArray[np.int32],
    counts: NDArray[np.int64],
    stops: NDArray[np.int64],
    most: int,
) -> Largest:
    """The largest classes after some steps.

    Parameters
    ----------
    displaced, leader, counts
        As in `moves`.
    stops
        Numbers of steps, rising; 0 is before the first.
    most
        How many classes.

    Examples
    --------
    >>> steps = np.int32([3, 2]), np.int32([2, 1])
    >>> found = largest_at(*steps, np.array([0, 9, 5, 2]), np.array([0, 1, 2]), 2)
    >>> found.leaders.tolist(), found.members.tolist()
    ([[1, 2], [2, 1], [1, 0]], [[1, 1], [2, 1], [3, 0]])
    """
    alone = (np.argsort(-counts[1:], kind="stable") + 1).astype(np.int32)
    return _largest_at(displaced, leader, counts, stops, most, alone)


@kernel
def _largest_at(
    displaced: NDArray[np.int32],
    leader: NDArray[np.int32],
    counts: NDArray[np.int64],
    stops: NDArray[np.int64],
    most: int,
    alone: NDArray[np.int32],
) -> Largest:
    """The same, given all ids by falling count, of equals the smaller first.

    At a stop only classes of several members are looked at, and as many others as are wanted:
    those are the first in `alone` that have not merged yet, and who has merged stays so.
    """
    size, total = np.ones(len(counts), np.int32), counts.copy()
    leaders = np.zeros((len(stops), most), np.int32)
    members = np.zeros((len(stops), most), np.int32)
    several = np.empty(len(counts), np.int32)
    done = kept = first = 0
    for row in range(len(stops)):
        for step in range(done, stops[row]):
            gone, stays = displaced[step], leader[step]
            if gone:
                if size[stays] == 1:
                    several[kept] = stays
                    kept += 1
                size[stays] += size[gone]
                total[stays] += total[gone]
                size[gone] = 0
        done = stops[row]
        found, left = 0, 0
        for place in range(kept):
            each = several[place]
            if size[each]:
                several[left] = each
                left += 1
                found = _insert(leaders[row], found, each, size, total)
        kept = left
        while first < len(alone) and size[alone[first]] != 1:
            first += 1
        place = first
        while place < len(alone) and found < most:
            if size[alone[place]] == 1:
                leaders[row, found] = alone[place]
                found += 1
            place += 1
        for place in range(found):
            members[row, place] = size[leaders[row, place]]
    return Largest(leaders, members)


@kernel
def _insert(
    ranked: NDArray[np.int32],
    found: int,
    each: int,
    size: NDArray[np.int32],
    total: NDArray[np.int64],
) -> int:
    """Put a class in its place among those found, if it has one; how many there are then."""
    place = found
    while place > 0:
        above = ranked[place - 1]
        if size[each] != size[above]:
            ahead = size[each] > size[above]
        elif total[each] != total[above]:
            ahead = total[each] > total[above]
        else:
            ahead = each < above
        if not ahead:
            break
        place -= 1
    if place == len(ranked):
        return found
    found = min(found + 1, len(ranked))
    for low in range(found - 1, place, -1):
        ranked[low] = ranked[low - 1]
    ranked[place] = each
    return found


def choose_stops(moved: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The steps to show of a history that is too long: where much moved, and at even distances.

    Parameters
    ----------
    moved
        How much each step moved, by step from 0.
    most
        How many stops; all steps, and 0 before them, if they are no more.

    Returns
    -------
    numpy.ndarray
        Numbers of steps, rising, the first 0 and the last among them.

    Examples
    --------
    >>> choose_stops(np.array([1, 1, 1, 1, 1, 9, 1, 1]), 4).tolist()
    [0, 1, 6, 8]
    >>> choose_stops(np.array([4, 4]), 6).tolist()
    [0, 1, 2]
    """
    steps = len(moved)
    if steps < most:
        return np.arange(steps + 1)
    ends = max(2, most // 2)
    even = np.linspace(0, steps, ends).round().astype(np.int64)
    much = np.argsort(-moved, kind="stable")[: most - ends] + 1
    return np.union1d(even, much)


class Chain(NamedTuple):
    """The merges by which a member came to its leader.

    Attributes
    ----------
    steps
        Their numbers, from the member upwards; of a long chain the first and the last ones.
    length
        How many there are in all.
    """

    steps: tuple[int, ...]
    length: int


def merged_at(displaced: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """The step that displaced each id below `size`; 0 where none did.

    Examples
    --------
    >>> merged_at(np.array([3, 0, 2]), 4).tolist()
    [0, 0, 3, 1]
    """
    steps = np.zeros(size, np.int64)
    merges = np.flatnonzero(displaced)
    steps[displaced[merges]] = merges + 1
    return steps


def chain(joined: NDArray[np.int64], leader: NDArray[np.int32], member: int, most: int) -> Chain:
    """How a member came to the leader of its class.

    Parameters
    ----------
    joined
        From `merged_at`.
    leader
        Who stood for both after each step.
    member
        The member.
    most
        The most steps to give, an even number.

    Examples
    --------
    >>> displaced, leader = np.array([5, 4, 3, 2]), np.array([4, 3, 2, 1])
    >>> chain(merged_at(displaced, 6), leader, 5, 2)
    Chain(steps=(1, 4), length=4)
    """
    steps, length = _climb(joined, leader, member, most)
    return Chain(tuple(steps.tolist()), int(length))


@kernel
def _climb(
    joined: NDArray[np.int64], leader: NDArray[np.int32], member: int, most: int
) -> tuple[NDArray[np.int64], int]:
    steps = np.zeros(most, np.int64)
    length, half = 0, most // 2
    while joined[member]:
        if length < most:
            steps[length] = joined[member]
        else:
            for place in range(half, most - 1):
                steps[place] = steps[place + 1]
            steps[most - 1] = joined[member]
        length += 1
        member = leader[joined[member] - 1]
    return steps[: min(length, most)], length
