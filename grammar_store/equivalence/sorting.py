"""Sorting of many small integers, or within many short runs, in linear passes."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

_MANY = 24
"""Runs of at most so many are sorted one by one."""


@njit(cache=True, nogil=True)
def counting_order(
    keys: NDArray[np.int32], size: int, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Sort positions by a key below `size`, keeping the given order of equal keys.

    Examples
    --------
    >>> keys = np.array([2, 0, 2, 1], np.int32)
    >>> counting_order(keys, 3, np.arange(4)).tolist()
    [1, 3, 0, 2]
    """
    places = np.zeros(size + 1, np.int64)
    for key in keys:
        places[key + 1] += 1
    for key in range(size):
        places[key + 1] += places[key]
    result = np.empty_like(order)
    for position in order:
        key = keys[position]
        result[places[key]] = position
        places[key] += 1
    return result


@njit(cache=True, nogil=True)
def falling_within(starts: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Positions by falling value within each run ``starts[k]:starts[k + 1]``.

    Examples
    --------
    >>> falling_within(np.array([0, 2, 5]), np.array([1.0, 2.0, 5.0, 7.0, 6.0])).tolist()
    [1, 0, 3, 4, 2]
    """
    order = np.empty(len(values), np.int64)
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
    return order


@njit(cache=True, nogil=True)
def greatest_within(starts: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
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
