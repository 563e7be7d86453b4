"""What merging learns of the planted grammars, by corpus size, level of the tests, n and k.

Run: python benchmarks/planted.py [--sizes 250 500 ...] [--seeds 1 2] [--picture FILE]

Prints tables of the adjusted Rand index and draws its curves (docs/planted.md explains them).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import grammar_store as gs
from grammar_store.facade import Store
from grammar_store.planted import Truth, planted_names, read_planted, write_sample

SIZES = (250, 500, 1000, 2000, 4000, 8000, 16_000)
ALPHAS = (0.1, 0.01, 1e-3, 1e-4, 1e-5)
ALWAYS = 1e9
"""Fisher's test below this count: for all that a corpus can hold."""
TESTS = {"Fisher always": ALWAYS, "Hoeffding from 20 on": 20.0}
MEDOIDS_AT = 4000
TOPS = (20, 36, 100)
CLUSTERS = (2, 4, 6, 8, 10, 12, 16)

Curves = dict[tuple[str, str, float, int], float]
"""The index by grammar, test, level and number of sentence pairs, on average over samples."""


def sampled(name: str, sentences: int, seed: int, folder: Path) -> tuple[Store, Truth]:
    """A store of sentence pairs drawn from a grammar, and their true labels."""
    place = folder / f"{name}-{sentences}-{seed}"
    truth = write_sample(read_planted(name), sentences, seed, place)
    store = gs.open(place / "x.duckdb")
    store.build(*(place / part for part in ("source", "target", "alignment")))
    return store, truth


def fringe_scores(store: Store, truth: Truth) -> Iterator[tuple[str, float, float]]:
    """The index of Blue-Fringe by test and level."""
    for test, below in TESTS.items():
        for alpha in ALPHAS:
            session = store.session(
                f"{test} {alpha}",
                method="blue-fringe",
                alpha=alpha,
                fisher_below=below,
                leaves="blue",
            )
            session.run()
            yield test, alpha, session.score(truth).adjusted_rand


def curves(sizes: list[int], seeds: list[int], folder: Path) -> Curves:
    found: dict[tuple[str, str, float, int], list[float]] = {}
    for name in planted_names():
        for size in sizes:
            start = time.perf_counter()
            for seed in seeds:
                store, truth = sampled(name, size, seed, folder)
                with store:
                    for test, alpha, index in fringe_scores(store, truth):
                        found.setdefault((name, test, alpha, size), []).append(index)
            print(f"{name}, {size:,}: {time.perf_counter() - start:.1f} s", flush=True)
    return {key: mean(values) for key, values in found.items()}


def print_curves(found: Curves, sizes: list[int]) -> None:
    print(f"\n{'grammar':10} {'test':21} {'alpha':>7} " + " ".join(f"{n:>7,}" for n in sizes))
    for name in planted_names():
        for test in TESTS:
            for alpha in ALPHAS:
                row = " ".join(f"{found[name, test, alpha, size]:7.3f}" for size in sizes)
                print(f"{name:10} {test:21} {alpha:7g} {row}")


def print_medoids(sentences: int, seed: int, folder: Path) -> None:
    """The index of k-medoids by n and k."""
    print(f"\nk-medoids, {sentences:,} sentence pairs")
    print(f"{'grammar':10} {'labels':>6} {'n':>4} " + " ".join(f"k={k:<5}" for k in CLUSTERS))
    for name in planted_names():
        store, truth = sampled(name, sentences, seed, folder)
        with store:
            for top in TOPS:
                row = []
                for clusters in CLUSTERS:
                    session = store.session(
                        f"{top} {clusters}", method="k-medoids", top=top, clusters=clusters
                    )
                    session.run()
                    row.append(f"{session.score(truth).adjusted_rand:7.3f}")
                labels = len({one.label for one in truth.values()})
                print(f"{name:10} {labels:6} {top:4} " + " ".join(row), flush=True)


def draw(found: Curves, sizes: list[int], path: Path) -> None:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    # The same picture, byte for byte, from the same figures.
    with mpl.rc_context({"svg.hashsalt": "planted", "svg.fonttype": "none"}):
        figure = Figure(figsize=(11, 4), layout="constrained")
        panels = figure.subplots(1, len(planted_names()), sharey=True)
        for name, panel in zip(planted_names(), panels, strict=True):
            for at, alpha in enumerate(ALPHAS):
                for test, dashes in zip(TESTS, ("-", "--"), strict=True):
                    heights = [found[name, test, alpha, size] for size in sizes]
                    label = f"α = {alpha:g}" if dashes == "-" else None
                    panel.plot(sizes, heights, dashes, color=f"C{at}", marker=".", label=label)
            panel.axhline(0.9, color="grey", linewidth=0.5)
            panel.set_xscale("log", base=2)
            panel.set_xticks(sizes, [f"{size:,}" for size in sizes], rotation=45)
            panel.set_title(name)
            panel.set_xlabel("sentence pairs")
        panels[0].set_ylabel("adjusted Rand index")
        panels[0].plot([], [], "k-", label="Fisher always")
        panels[0].plot([], [], "k--", label="Hoeffding from 20 on")
        panels[0].legend(fontsize="small")
        figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES))
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        found = curves(given.sizes, given.seeds, Path(folder))
        print_curves(found, given.sizes)
        if given.picture:
            draw(found, given.sizes, given.picture)
        print_medoids(MEDOIDS_AT, 99, Path(folder))


if __name__ == "__main__":
    main()
