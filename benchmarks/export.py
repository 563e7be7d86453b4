"""How fast, how large: a translation grammar of a store and its rule table for a decoder.

    python benchmarks/export.py STORE [--session NAME] [--preset moses] [--format moses] [--gz]

Baseline, without a session, and with the session if one is named; each in a process of its own, so
that its peak memory is its own. Seconds are of the clock; processor seconds add up all cores, and
tell more where a machine has other work, too. Every figure is of one run on this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measuring import peak_memory

import grammar_store as gs
from grammar_store.export.formats import FORMATS, WriteOptions, write_rules
from grammar_store.extraction.parallel import available_threads
from grammar_store.translation import translation_grammar


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--session")
    parser.add_argument("--preset", default="moses")
    parser.add_argument("--format", default="moses", choices=FORMATS)
    parser.add_argument("--smoothing", default="none")
    parser.add_argument("--digits", type=int, help="significant digits of numbers; all by default")
    parser.add_argument("--gz", action="store_true", help="compress the table")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one is not None:
        export_one(given)
        return
    print(f"{available_threads()} cores, preset {given.preset}, format {given.format}")
    show("baseline, one label", in_process(given, ""))
    if given.session:
        show(f"session {given.session}", in_process(given, given.session))


def in_process(given: argparse.Namespace, session: str) -> dict[str, float]:
    """Export in a process of its own, with kernels that are compiled already."""
    command = [sys.executable, __file__, *sys.argv[1:], "--one", session]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def export_one(given: argparse.Namespace) -> None:
    with gs.sample_store() as sample:  # compiles
        translation_grammar(sample, preset=given.preset).rules().read_all()
    report: dict[str, float] = {}
    with (
        gs.open(given.store, read_only=True) as store,
        tempfile.TemporaryDirectory(dir=given.folder) as folder,
    ):
        path = Path(folder) / ("rules.gz" if given.gz else "rules")
        clock, work = time.perf_counter(), processor_seconds()
        grammar = translation_grammar(
            store, given.one or None, preset=given.preset, smoothing=given.smoothing
        )
        report["extracting"], report["extracting work"] = (
            time.perf_counter() - clock,
            processor_seconds() - work,
        )
        report["peak of extracting"] = peak_memory()
        report["rules"] = write_rules(
            grammar, path, given.format, WriteOptions(digits=given.digits)
        )
        report["all"], report["all work"] = (
            time.perf_counter() - clock,
            processor_seconds() - work,
        )
        report["peak"] = peak_memory()
        report["file"] = path.stat().st_size
        report["labels"] = grammar.labels.num_rows
        report["counted"] = float(grammar.labels["count"].to_numpy().sum())
    print(json.dumps(report))


def processor_seconds() -> float:
    times = os.times()
    return times.user + times.system


def show(title: str, report: dict[str, float]) -> None:
    writing = report["all"] - report["extracting"]
    writing_work = report["all work"] - report["extracting work"]
    print(f"\n{title}")
    print(f"  {'phrase pairs':<22}{report['counted']:>14,.0f}")
    print(f"  {'labels':<22}{report['labels']:>14,.0f}")
    print(f"  {'rules':<22}{report['rules']:>14,.0f}")
    for name, seconds, work in (
        ("extracting", report["extracting"], report["extracting work"]),
        ("features and writing", writing, writing_work),
        ("all", report["all"], report["all work"]),
    ):
        print(f"  {name:<22}{seconds:>14.1f} s, {work:.1f} s of processor")
    print(f"  {'rules/s':<22}{report['rules'] / report['all']:>14,.0f}")
    print(f"  {'peak of extracting':<22}{report['peak of extracting'] / 1e9:>14.2f} GB")
    print(f"  {'peak memory':<22}{report['peak'] / 1e9:>14.2f} GB")
    size = report["file"]
    print(f"  {'file':<22}{size / 1e6:>14,.0f} MB, {size / report['rules']:.1f} bytes per rule")


if __name__ == "__main__":
    main()
