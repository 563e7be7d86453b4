"""How fast: verdicts and the matrix of dissimilarities, at the size of a real grammar.

    python benchmarks/equivalence.py STORE [--top 5000] [--small SMALL_STORE]

STORE is an unpruned store with one gap (`grammar-store build`). For the ratio to the plain
definition a smaller store of the same kind is better, as it needs gigabytes for millions of rules.
"""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from grammar_store.equivalence.engine import Equivalence
from grammar_store.equivalence.reference import PlainGrammar, equivalence_reference
from grammar_store.equivalence.search import search
from grammar_store.extraction.parallel import available_threads
from grammar_store.store.database import Database

ALPHA, FISHER_BELOW = 0.01, 20.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--top", type=int, default=5000)
    parser.add_argument("--small", type=Path, help="a smaller store, for the plain definition")
    parser.add_argument("--pairs", type=int, default=20, help="pairs for the plain definition")
    given = parser.parse_args()

    with Database(given.store, read_only=True) as database:
        start = time.perf_counter()
        engine = Equivalence(database)
        print(f"reading the grammar: {time.perf_counter() - start:.1f} s")
        engine.dissimilarities(range(1, 20))  # compiles
        start = time.perf_counter()
        matrix = engine.dissimilarities(range(1, given.top + 1))
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        pairs = len(matrix) * (len(matrix) - 1) // 2
        print(
            f"matrix of {len(matrix):,} non-terminals on {available_threads()} cores: "
            f"{seconds:.1f} s, {pairs / seconds:,.0f} pairs/s, peak memory {peak:.2f} GB"
        )
        verdict_rates(engine, given.top)
    if given.small:
        against_plain(given.small, given.pairs)


def verdict_rates(engine: Equivalence, top: int, pairs: int = 200_000, sample: int = 200) -> None:
    """Verdicts alone, and with all reasons, of random pairs of the most frequent and of all."""
    rng = np.random.default_rng(1)
    everything = len(engine.classes.counts) - 1
    level = engine.level(ALPHA, FISHER_BELOW)
    for among in (top, everything):
        first, second = rng.integers(1, among + 1, (2, pairs))
        engine.equivalents([1], [2], ALPHA, FISHER_BELOW)
        start = time.perf_counter()
        equivalent = engine.equivalents(first, second, ALPHA, FISHER_BELOW, threads=1)
        rate = pairs / (time.perf_counter() - start)
        start = time.perf_counter()
        full = [
            search(int(a), int(b), engine.classes, level).equal.all()
            for a, b in zip(first[:sample], second[:sample], strict=True)
        ]
        full_rate = sample / (time.perf_counter() - start)
        if full != equivalent[:sample].tolist():
            raise SystemExit("verdicts differ from those of the full search")
        print(
            f"verdicts of random pairs of the {among:,} most frequent, one core: {rate:,.0f} a "
            f"second, {rate / full_rate:,.0f} x as fast as with all comparisons; "
            f"{equivalent.mean():.1%} equivalent"
        )


def against_plain(store: Path, number: int) -> None:
    """Some pairs by the plain definition, against the kernels' matrix of the same store."""
    with Database(store, read_only=True) as database:
        engine = Equivalence(database)
        with database.cursor() as cursor:
            grammar = PlainGrammar.of_store(cursor)
    leaders = {each: each for each in grammar.counts}
    top = min(500, len(leaders))
    engine.dissimilarities([1, 2])
    start = time.perf_counter()
    matrix = engine.dissimilarities(range(1, top + 1), threads=1)
    kernels = (time.perf_counter() - start) / (top * (top - 1) / 2)
    rng = np.random.default_rng(2)
    start = time.perf_counter()
    for _ in range(number):
        a, b = rng.choice(top, 2, replace=False)
        verdict = equivalence_reference(
            grammar, leaders, int(a) + 1, int(b) + 1, ALPHA, FISHER_BELOW
        )
        if not np.isclose(matrix[a, b], verdict.dissimilarity, rtol=1e-6):
            raise SystemExit(f"X{a + 1} and X{b + 1}: {matrix[a, b]} is not {verdict}")
    plain = (time.perf_counter() - start) / number
    print(
        f"a store with {len(grammar.rules):,} rules: the plain definition takes {plain:.2f} s a "
        f"pair, the kernels on one core {kernels * 1e6:.1f} µs, "
        f"{plain / kernels:,.0f} x as fast; same values"
    )


if __name__ == "__main__":
    main()
