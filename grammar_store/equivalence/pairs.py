"""The unordered pairs of classes that a search has met: a set for the kernels.

A set is an array of keys, 0 for an empty place, whose length is a power of two; whoever adds to it
keeps it at most half full with `wider`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.hashing import mix


@kernel
def pair_key(a: int, b: int) -> np.uint64:
    """The key of {a, b}, the same for (b, a). Ids begin at 1, so that no key is 0."""
    return (np.uint64(min(a, b)) << np.uint64(32)) | np.uint64(max(a, b))


@kernel
def visit(visited: NDArray[np.uint64], key: np.uint64) -> bool:
    """Add a pair; False if it was there already.

    Examples
    --------
    >>> visited = np.zeros(8, np.uint64)
    >>> visit(visited, pair_key(3, 6)), visit(visited, pair_key(6, 3))
    (True, False)
    """
    mask = np.uint64(len(visited) - 1)
    place = mix(key) & mask
    while visited[place] != 0:
        if visited[place] == key:
            return False
        place = (place + np.uint64(1)) & mask
    visited[place] = key
    return True


@kernel
def wider(visited: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The same set with twice the places."""
    more = np.zeros(2 * len(visited), np.uint64)
    for key in visited:
        if key != 0:
            visit(more, key)
    return more
