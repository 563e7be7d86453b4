"""The four span ends of a phrase pair in one integer.

Source start, source end, target start and target end take 16 bits each, from the highest
down, ends exclusive. So equal spans are equal integers, their order is that of the four ends
one after another, and the span of a gap relative to its phrase pair is a difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel

_BITS = 16
_MASK = (1 << _BITS) - 1


@kernel
def pack(start: int, end: int, target_start: int, target_end: int) -> np.uint64:
    """One integer for four span ends.

    Examples
    --------
    >>> unpack(pack(3, 5, 2, 4) - pack(3, 3, 2, 2))
    (0, 2, 0, 2)
    """
    return (
        (np.uint64(start) << np.uint64(3 * _BITS))
        | (np.uint64(end) << np.uint64(2 * _BITS))
        | (np.uint64(target_start) << np.uint64(_BITS))
        | np.uint64(target_end)
    )


@kernel
def unpack(span: np.uint64) -> tuple[np.int64, np.int64, np.int64, np.int64]:
    """The span ends in an integer: source start, source end, target start, target end."""
    return (
        np.int64(span >> np.uint64(3 * _BITS)),
        np.int64((span >> np.uint64(2 * _BITS)) & np.uint64(_MASK)),
        np.int64((span >> np.uint64(_BITS)) & np.uint64(_MASK)),
        np.int64(span & np.uint64(_MASK)),
    )


def span_ends(spans: NDArray[np.uint64]) -> tuple[NDArray[np.uint16], ...]:
    """The same of many spans, an array for each end.

    Examples
    --------
    >>> spans = np.array([pack(0, 2, 1, 3), pack(4, 5, 6, 7)], np.uint64)
    >>> [ends.tolist() for ends in span_ends(spans)]
    [[0, 4], [2, 5], [1, 6], [3, 7]]
    """
    return tuple(
        (spans >> np.uint64(shift)).astype(np.uint16)  # keeps the lowest 16 bits
        for shift in (3 * _BITS, 2 * _BITS, _BITS, 0)
    )
