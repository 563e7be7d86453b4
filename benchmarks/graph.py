"""How fast: the neighbourhood of the most frequent non-terminal of a store, as a graph.

    python benchmarks/graph.py STORE [STORE ...] [--limit 500]

Several stores, such as one of half of the corpus and one of the whole, show how it grows. Seconds
of the clock, and of all cores together: on a machine with other work the second are the truer ones.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import grammar_store as gs

REPEATS = 3
SECONDS = 2.0  # what two hops with 500 nodes may take


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stores", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, default=500)
    given = parser.parse_args()
    for path in given.stores:
        with gs.open(path, read_only=True) as store:
            facts = store.info()
            print(f"{path}: {facts['nonterminals']:,} non-terminals, {facts['rules']:,} rules")
            for hops in (1, 2, 3):
                one = measured(lambda hops=hops: store.graph("X1", hops, limit=given.limit))
                show(f"{hops} hops, {given.limit} nodes", *one)
                if hops == 2 and one[0] > SECONDS:
                    print(f"    above the limit of {SECONDS} s")
            graph = store.graph("X1", 2, limit=given.limit)
            show(f"drawing {len(graph)} nodes", *measured(lambda graph=graph: graph.svg(10**6)))


def measured(work: Callable[[], Any]) -> tuple[float, float, Any]:
    """The median seconds by the clock and by the cores, and what was made."""
    clock, cores = [], []
    for _ in range(REPEATS):
        start, start_cores = time.perf_counter(), time.process_time()
        made = work()
        clock.append(time.perf_counter() - start)
        cores.append(time.process_time() - start_cores)
    return median(clock), median(cores), made


def show(name: str, clock: float, cores: float, made: Any) -> None:
    what = "" if isinstance(made, str) else f"   {made!r}"
    print(f"  {name:22}{clock:8.2f} s, of cores {cores:6.2f} s{what}", flush=True)


if __name__ == "__main__":
    main()
