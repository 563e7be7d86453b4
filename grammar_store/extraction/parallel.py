"""Run a kernel that releases the interpreter lock over ranges, on all cores.

Kernels take ``start`` and ``stop`` first and write to places that no other range writes
to, so the result does not depend on the number of threads.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray


def available_threads() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def balanced_ranges(weights: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """Cut ``range(len(weights))`` into at most `parts` ranges of about equal weight.

    Examples
    --------
    >>> balanced_ranges(np.array([5, 1, 1, 1, 1, 1]), 2)
    [(0, 1), (1, 6)]
    """
    total = np.cumsum(weights + 1)
    if total.size == 0:
        return []
    marks = total[-1] * np.arange(1, parts) // parts
    cuts = [0, *np.searchsorted(total, marks).tolist(), int(total.size)]
    return [(low, high) for low, high in itertools.pairwise(cuts) if low < high]


def run_ranges(
    kernel: Callable[..., Any],
    weights: NDArray[np.int64],
    *arguments: Any,
    threads: int,
    pieces_per_thread: int = 8,
) -> None:
    """Call ``kernel(start, stop, *arguments)`` for ranges of about equal weight."""
    ranges = balanced_ranges(weights, threads * pieces_per_thread)
    run_each(lambda low, high: kernel(low, high, *arguments), ranges, threads)


def run_each(
    function: Callable[..., Any], arguments: list[tuple[Any, ...]], threads: int
) -> list[Any]:
    """Call `function` once per tuple of arguments and give the results in that order."""
    if threads == 1 or len(arguments) < 2:
        return [function(*each) for each in arguments]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda each: function(*each), arguments))
