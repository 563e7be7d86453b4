"""How fast, how large: Blue-Fringe and k-medoids on a whole store.

    python benchmarks/merging.py STORE [--alphas 0.01] [--leaves red] [--seconds S] [--half STORE]
    python benchmarks/merging.py STORE --medoids [--tops 250 1000 5000] [--clusters 2 3 4]

Every run has a session of its own in a copy of the store, which is removed afterwards, and a
process of its own, so that its peak memory is its own. Kernels are compiled before. With --seconds
a run of Blue-Fringe stops after so long: then the table says how far it came. With --half, a store
of half of the corpus, every run is made there as well, and the table says how the time grows.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import peak_memory

import grammar_store as gs
from grammar_store.sessions.running import FringeResult


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--alphas", nargs="+", type=float, default=[0.01])
    parser.add_argument("--leaves", nargs="+", default=["red"], choices=["red", "blue"])
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--half", type=Path, help="a store of half of the corpus")
    parser.add_argument("--medoids", action="store_true")
    parser.add_argument("--tops", nargs="+", type=int, default=[250, 1000, 5000])
    parser.add_argument("--clusters", nargs="+", type=int, default=[2, 3, 4])
    parser.add_argument("--folder", type=Path, help="where to put the copy")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        print(json.dumps(run_one(given.store, **json.loads(given.one))))
        return
    if given.medoids:
        settings: list[dict[str, Any]] = [
            {"method": "k-medoids", "top": top, "clusters": clusters}
            for top in given.tops
            for clusters in given.clusters
        ]
    else:
        settings = [
            {"method": "blue-fringe", "alpha": alpha, "leaves": leaves, "seconds": given.seconds}
            for leaves in given.leaves
            for alpha in given.alphas
        ]
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        copy = Path(folder) / "store.duckdb"
        shutil.copyfile(given.store, copy)
        if given.half:
            half = Path(shutil.copyfile(given.half, Path(folder) / "half.duckdb"))
        for number, setting in enumerate(settings):
            row = in_process(copy, setting)
            if given.half:
                row["growth"] = row["seconds"] / in_process(half, setting)["seconds"]
            if number == 0:
                print("  ".join(f"{name:>12}" for name in row))
            print("  ".join(f"{shown(value):>12}" for value in row.values()), flush=True)


def in_process(store: Path, setting: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, __file__, str(store), "--one", json.dumps(setting)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def run_one(
    path: Path, method: str, seconds: float | None = None, **setting: Any
) -> dict[str, Any]:
    with gs.sample_store() as sample:  # compiles
        sample.session(
            "first", method, **(setting | ({"top": 10} if "top" in setting else {}))
        ).run()
    with gs.open(path) as store:
        nonterminals = len(store)
        start = time.perf_counter()
        session = store.session(json.dumps(setting), method, **setting)
        found = session.run() if seconds is None else session.run(seconds=seconds)
        row: dict[str, Any] = {**setting, "non-term.": nonterminals}
        row["seconds"] = time.perf_counter() - start
        row["peak GB"] = peak_memory() / 1e9
        row["steps"] = session.step
        row["final"] = session.at().class_count
        if isinstance(found, FringeResult):
            row["promotions"], row["tests"] = found.promotions, found.tests
            row["saved"] = 1.0 - found.tests / found.pairs
            row["finished"] = found.finished
        else:
            row["loss"], row["silhouette"] = found.loss, found.silhouette
            row["sizes"] = " ".join(map(str, found.sizes))
    return row


def shown(value: Any) -> str:
    if isinstance(value, (bool, str)):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.6g}"


if __name__ == "__main__":
    main()
