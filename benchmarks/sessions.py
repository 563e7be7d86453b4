"""How fast: sessions of many merges, as a flat, a random and a chained forest.

    python benchmarks/sessions.py FOLDER [--merges 500000] [--kinds flat random chain]

Each is measured with 1/100, 1/10 and all of the merges, for the growth; what is short, several
times. FOLDER takes the stores, which are removed afterwards.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import grammar_store as gs
from grammar_store.facade import Store
from grammar_store.resources import sql
from grammar_store.sessions.session import Session
from grammar_store.store.database import new_store

REPEATS = 5

# What takes at most how many seconds with 500,000 merges.
LIMITS = {"write": 20.0, "classes_at": 2.0, "at(": 2.0, "undo 10": 0.2, "branch": 0.2, "open": 2.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--merges", type=int, default=500_000)
    parser.add_argument("--kinds", nargs="+", default=["flat", "random", "chain"])
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    Benchmark(given.folder, "random", 1000).run()  # compiles
    for kind in given.kinds:
        sizes = [given.merges // 100, given.merges // 10, given.merges]
        columns = [Benchmark(given.folder, kind, merges).run() for merges in sizes]
        print(f"\n{kind}, seconds for " + ", ".join(f"{merges:,}" for merges in sizes) + " merges")
        for name in columns[0]:
            times = [column[name] for column in columns]
            growth = ", ".join(f"x {b / a:.1f}" for a, b in pairwise(times))
            print(f"  {name:30}" + "".join(f"{each:9.4f}" for each in times) + f"   {growth}")
            for start, limit in LIMITS.items():
                if name.startswith(start) and times[-1] > limit:
                    print(f"    above the limit of {limit} s")
    print(f"\npeak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f} GB")


def forest(kind: str, merges: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Who is displaced, and by whom."""
    if kind == "flat":
        displaced, leader = np.arange(2, merges + 2), np.ones(merges)
    elif kind == "chain":
        displaced, leader = np.arange(1, merges + 1), np.arange(2, merges + 2)
    else:
        rng = np.random.default_rng(1)
        order = rng.permutation(merges + 1) + 1
        displaced = order[:-1]
        leader = order[rng.integers(np.arange(1, merges + 1), merges + 1)]
    return displaced.astype(np.int32), leader.astype(np.int32)


def steps(kind: str, merges: int) -> pa.Table:
    """The merges, each with evidence: its numbers are made up, its size is not."""
    rng = np.random.default_rng(2)
    displaced, leader = forest(kind, merges)
    ids = {name: np.ones(merges, np.int32) for name in ("context_id", "lhs1_id", "lhs2_id")}
    numbers = {name: rng.random(merges) for name in ("c1", "big_c1", "c2", "big_c2", "d", "bound")}
    return pa.table(
        {
            "displaced_id": displaced,
            "leader_id": leader,
            "filler1_id": displaced,
            "filler2_id": leader,
            "test": pa.repeat(pa.scalar("hoeffding"), merges),
            "depth": np.zeros(merges, np.int32),
            **ids,
            **numbers,
        }
    )


def make_store(path: Path, size: int) -> Store:
    """A grammar of lexical rules alone: what a session costs depends on its merges."""
    path.unlink(missing_ok=True)
    ids = np.arange(1, size + 1)
    texts = pa.array([f"w{number}" for number in ids.tolist()])
    ones = np.ones(size, np.int64)
    tables: dict[str, dict[str, Any]] = {
        "nonterminal": {
            "nonterminal_id": ids,
            "source": texts,
            "target": texts,
            "count": ids[::-1],
            "rule_count": ones,
            "height": ones - 1,
            "sentences": ones,
        },
        "rule": {"rule_id": ids, "lhs_id": ids, "count": ids[::-1] + 0.0, "gaps": ones - 1},
        "context": {"context_id": [1], "source": ["[_]"], "target": ["[_]"], "energy": [1.0]},
        "build": {
            "version": ["0"],
            "signature": ["made up"],
            "options": ['{"max_gaps": 1}'],
            "inputs": ["{}"],
            "sentences": [0],
            "skipped": [0],
            "prune_alpha": pa.nulls(1, pa.float64()),
            "prune_fisher": pa.nulls(1, pa.bool_()),
        },
    }
    with new_store(path) as database:
        for name, columns in tables.items():
            database.insert(name, pa.table(columns))
    return gs.open(path)


class Benchmark:
    """One session of one kind and size."""

    def __init__(self, folder: Path, kind: str, merges: int) -> None:
        self.merges = merges
        self.seconds: dict[str, list[float]] = {}
        self.path = folder / f"{kind}-{merges}.duckdb"
        self.store = make_store(self.path, merges + 1)
        self.table = steps(kind, merges)

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        found = work()
        self.seconds.setdefault(name, []).append(time.perf_counter() - start)
        return found

    def ask(self, name: str, query: str, **values: Any) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self.timed(
            name, lambda: self.store.sql(query, **values).fetchall()
        )
        return found

    def run(self) -> dict[str, float]:
        session = self.store.session("s")
        self.timed("write", lambda: session.apply(self.table))
        self.store.close()
        self.timed("open", lambda: self.store.session("s").leader(1))
        session = self.store.session("s")
        self.look_back(session)
        self.explain(session)
        self.change(session)
        self.store.close()
        self.path.unlink()
        return {name: median(times) for name, times in self.seconds.items()}

    def look_back(self, session: Session) -> None:
        for share in (0.01, 0.5, 1.0):
            step = int(self.merges * share)
            leaders = self.timed(f"at({share:.0%})", lambda step=step: session.at(step).leaders)
            query = "SELECT sum(leader_id) FROM classes_at('s', $step)"
            if self.ask(f"classes_at({share:.0%}), SQL", query, step=step) != [(leaders.sum(),)]:
                raise SystemExit(f"SQL and kernel differ at step {step}")
        self.ask("class_member, SQL", "SELECT sum(leader_id) FROM class_member")
        self.ask("merged_rule, SQL", "SELECT fsum(count) FROM merged_rule")
        self.ask("merge_tree, SQL", "SELECT max(depth) FROM merge_tree('s')")

    def explain(self, session: Session) -> None:
        displaced = self.table["displaced_id"]
        a, b = displaced[0].as_py(), displaced[self.merges // 2].as_py()
        found = self.ask("joined, SQL", "SELECT step FROM joined('s', $a, $b)", a=a, b=b)
        if self.timed("why", lambda: session.why(a, b).joined_at) != found[0][0]:
            raise SystemExit("SQL and kernel do not agree on why")

    def change(self, session: Session) -> None:
        half = self.merges // 2
        for _ in range(REPEATS):
            self.timed("undo 10", lambda: session.undo(10))
            self.timed("redo 10", lambda: session.redo(10))
        for number in range(REPEATS):
            name = f"b{number}"
            branch = self.timed("branch", lambda name=name: session.branch(name, half))
        self.timed("open the branch", lambda: branch.leader(1))
        left = np.unique(branch.at().leaders[1:])
        for low, high in zip(left[1:].tolist(), left[:REPEATS].tolist(), strict=False):
            self.timed("merge by hand", lambda low=low, high=high: branch.merge(low, high))
        self.timed("diff", lambda: session.diff(branch))
        self.timed("undo step 2 and dependants", lambda: session.undo(step=2, cascade=True))
        self.timed("redo them", lambda: session.redo())
        self.timed("undo to 1/4, handed over", lambda: session.undo(self.merges - half // 2))
        with self.store.database.cursor() as cursor:
            query = sql("checks/session_hashes")
            if self.timed("check of hashes", lambda: cursor.execute(query).fetchall()):
                raise SystemExit("hashes do not chain")


if __name__ == "__main__":
    main()
