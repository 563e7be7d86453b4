"""How many Fisher tests a core does in a second, and how many times that is scipy's loop.

Run: python benchmarks/fisher.py
"""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.stats import fisher_exact

from grammar_store.statistics.proportions import compare_proportions, fisher_log_p

Counts = NDArray[np.float64]
ROUNDS = 5
SCIPY_TESTS = 1000


def tables(number: int, small: int, large: int, seed: int = 1) -> Counts:
    """Samples of up to `small` and up to `large` (log-uniform), with proportions half alike."""
    rng = np.random.default_rng(seed)
    n1 = rng.integers(1, small, number, endpoint=True)
    n2 = np.exp(rng.uniform(0.0, np.log(large), number)).astype(np.int64)
    p1 = rng.random(number)
    p2 = np.where(rng.random(number) < 0.5, p1, rng.random(number))
    return np.array([rng.binomial(n1, p1), n1, rng.binomial(n2, p2), n2], np.float64)


def per_second(run: Callable[[], object], number: int) -> float:
    """The median rate of some runs, after one that compiles."""
    run()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return number / statistics.median(times)


def scipy_loop(counts: Counts) -> list[float]:
    rows = counts[:, :SCIPY_TESTS].T.astype(int).tolist()
    return [fisher_exact([[c1, n1 - c1], [c2, n2 - c2]]).pvalue for c1, n1, c2, n2 in rows]


def scipy_per_second(counts: Counts) -> float:
    start = time.perf_counter()
    scipy_loop(counts)
    return SCIPY_TESTS / (time.perf_counter() - start)


def main() -> None:
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, one used")
    print(
        f"{'samples up to':>24} {'tests/s':>12} {'with verdict/s':>15} {'scipy/s':>9} {'ratio':>8}"
    )
    for number, small, large in (
        (1_000_000, 19, 19),
        (1_000_000, 19, 5_000_000),
        (200_000, 1000, 1000),
        (20_000, 1_000_000, 1_000_000),
    ):
        counts = tables(number, small, large)
        found = np.exp(fisher_log_p(*counts[:, :SCIPY_TESTS]))
        np.testing.assert_allclose(found, scipy_loop(counts), rtol=1e-8, atol=1e-290)
        ours = per_second(lambda counts=counts: fisher_log_p(*counts), number)
        verdicts = per_second(
            lambda counts=counts: compare_proportions(*counts, 0.01, np.inf), number
        )
        theirs = scipy_per_second(counts)
        label = f"{small:,} and {large:,}"
        print(f"{label:>24} {ours:12,.0f} {verdicts:15,.0f} {theirs:9,.0f} {ours / theirs:8,.0f}")
    start = time.perf_counter()
    fisher_log_p(5e11 - 1e5, 1e12, 5e11 + 1e5, 1e12)
    print(f"two samples of 10^12: {1000 * (time.perf_counter() - start):.0f} ms")


if __name__ == "__main__":
    main()
