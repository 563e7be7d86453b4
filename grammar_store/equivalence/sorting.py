"""Sorting of many small integers, or within many short runs, in linear passes.

Large arrays are made by numpy, not in the kernels: it asks for large pages, which take a fraction
of the time to get.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel

_MANY = 24
"""Runs of at most so many are sorted one by one."""


def positions(number: int) -> NDArray[np.signedinteger[Any]]:
    """The positions of so many things in order."""
    return np.arange(number, dtype=position_type(number))


def position_type(number: int) -> type[np.signedinteger[Any]]:
    """What holds the positions of so many things, and their number, in as few bytes as can be."""
    return np.int32 if number < 1 << 31 else np.int64


@kernel
def is_sorted(keys: NDArray[np.int32]) -> bool:
    """Whether no key is less than the one before it.

    Examples
    --------
    >>> is_sorted(np.array([1, 1, 2], np.int32)), is_sorted(np.array([1, 2, 1], np.int32))
    (True, False)
    """
    at = 1
    while at < len(keys) and keys[at] >= keys[at - 1]:
        at += 1
    return at >= len(keys)


def counting_order(
    keys: NDArray[np.int32], size: int, order: NDArray[np.signedinteger[Any]]
) -> NDArray[np.signedinteger[Any]]:
    """Sort positions by a key below `size`, keeping the given order of equal keys.

    Examples
    --------
    >>> keys = np.array([2, 0, 2, 1], np.int32)
    >>> counting_order(keys, 3, positions(4)).tolist()
    [1, 3, 0, 2]
    """
    result = np.empty_like(order)
    _count_and_put(keys, order, np.zeros(size + 1, order.dtype), result)
    return result


@kernel
def _count_and_put(
    keys: NDArray[np.int32],
    order: NDArray[np.signedinteger[Any]],
    places: NDArray[np.signedinteger[Any]],
    result: NDArray[np.signedinteger[Any]],
) -> None:
    for key in keys:
        places[key + 1] += 1
    for key in range(len(places) - 1):
        places[key + 1] += places[key]
    for position in order:
        key = keys[position]
        result[places[key]] = position
        places[key] += 1


def falling_within(
    starts: NDArray[np.int64], values: NDArray[np.float64]
) -> NDArray[np.signedinteger[Any]]:
    """Positions by falling value within each run ``starts[k]:starts[k + 1]``.

    Examples
    --------
    >>> falling_within(np.array([0, 2, 5]), np.array([1.0, 2.0, 5.0, 7.0, 6.0])).tolist()
    [1, 0, 3, 4, 2]
    """
    order = np.empty(len(values), position_type(len(values)))
    _sort_within(starts, values, order)
    return order


@kernel
def _sort_within(
    starts: NDArray[np.int64],
    values: NDArray[np.float64],
    order: NDArray[np.signedinteger[Any]],
) -> None:
    for k in range(len(starts) - 1):
        low, high = starts[k], starts[k + 1]
        if high - low > _MANY:
            order[low:high] = low + np.argsort(-values[low:high], kind="mergesort")
            continue
        for new in range(low, high):
            place = new
            while place > low and values[order[place - 1]] < values[new]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = new


@kernel
def greatest_within(
    starts: NDArray[np.signedinteger[Any]], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The greatest value of each run ``starts[k]:starts[k + 1]``, 0 if there is none above.

    Examples
    --------
    >>> greatest_within(np.array([0, 2, 2, 3]), np.array([1.0, 2.0, 5.0])).tolist()
    [2.0, 0.0, 5.0]
    """
    greatest = np.zeros(len(starts) - 1)
    for k in range(len(starts) - 1):
        for at in range(starts[k], starts[k + 1]):
            greatest[k] = max(greatest[k], values[at])
    return greatest
