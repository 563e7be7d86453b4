"""How fast, how large: building a store from a folder with a word-aligned bitext.

    python benchmarks/build.py FOLDER [--classes] [--alignment NAME] [--prune ALPHA] [--growth]

The folder holds train.src.gz, train.tgt.gz, train.align.gz and, for --classes, src.classes and
tgt.classes. Every figure is of one run on this machine; ratios compare within the run.
"""

from __future__ import annotations

import argparse
import gzip
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from grammar_store.bitext import BitextFiles, Corpus, read_bitext
from grammar_store.bitext.corpus import Side
from grammar_store.extraction.grammar import InitialGrammar
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.parallel import available_threads
from grammar_store.extraction.reference import reference_grammar
from grammar_store.extraction.tables import GrammarTables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--classes", action="store_true", help="use word classes")
    parser.add_argument("--alignment", default="train.align.gz")
    parser.add_argument("--prune", type=float)
    parser.add_argument("--growth", action="store_true", help="also build half of the corpus")
    parser.add_argument("--sample", type=int, default=5000, help="pairs for the plain extractor")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        build_one(given)
        return
    with tempfile.TemporaryDirectory() as folder:
        kernels(given)
        whole = in_process(given, given.folder, Path(folder) / "whole.duckdb")
        show("whole corpus", whole, Path(folder) / "whole.duckdb")
        shared_contexts(Path(folder) / "whole.duckdb")
        if given.growth:
            half = halved(given, Path(folder) / "half")
            report = in_process(given, half, Path(folder) / "half.duckdb")
            show("half of it", report, Path(folder) / "half.duckdb")
            ratio = whole["total"] / report["total"]
            rules = whole["rules"] / report["rules"]
            print(f"twice the corpus: {ratio:.2f} x the time, {rules:.2f} x the rules")


def files(given: argparse.Namespace, folder: Path) -> BitextFiles:
    return BitextFiles(
        folder / "train.src.gz",
        folder / "train.tgt.gz",
        folder / given.alignment,
        given.folder / "src.classes" if given.classes else None,
        given.folder / "tgt.classes" if given.classes else None,
    )


def kernels(given: argparse.Namespace) -> None:
    """Rules per second of the kernels, and against the plain extractor on the same sample."""
    corpus, _ = read_bitext(files(given, given.folder))
    sample = first_sentences(corpus, given.sample)
    start = time.perf_counter()
    plain = reference_grammar(sample, ExtractionOptions())
    plain_seconds = time.perf_counter() - start
    print(
        f"plain extractor, {len(sample):,} pairs: {len(plain.rules):,} rules in "
        f"{plain_seconds:.1f} s, {len(plain.rules) / plain_seconds:,.0f} rules/s"
    )
    extract(Corpus.from_text([("a b", "x y", "0-0 1-1")]), 1)  # compiles
    for threads in sorted({1, available_threads()}):
        start = time.perf_counter()
        rules = extract(sample, threads)
        seconds = time.perf_counter() - start
        if rules != len(plain.rules):
            raise SystemExit(f"the kernels found {rules:,} rules there")
        print(f"kernels, {threads} core(s), there: {plain_seconds / seconds:.0f} x as fast")
        start = time.perf_counter()
        rules = extract(corpus, threads)
        seconds = time.perf_counter() - start
        print(
            f"kernels, {threads} core(s): {rules:,} rules in {seconds:.1f} s, "
            f"{rules / seconds:,.0f} rules/s"
        )


def first_sentences(corpus: Corpus, number: int) -> Corpus:
    """The first sentence pairs of a corpus."""
    number = min(number, len(corpus))
    source, target = (
        Side(side.symbols, side.tokens[: side.starts[number]], side.starts[: number + 1])
        for side in (corpus.source, corpus.target)
    )
    return Corpus(
        source,
        target,
        corpus.links[: corpus.link_starts[number]],
        corpus.link_starts[: number + 1],
    )


def extract(corpus: Corpus, threads: int) -> int:
    """Make all rows of the grammar of a corpus; give the number of rules."""
    grammar = InitialGrammar(corpus, threads=threads)
    tables = GrammarTables(grammar, *grammar.survey())
    rules = sum(chunk.rule.num_rows for chunk in tables.rules())
    for _ in tables.contexts():
        pass
    return rules


def in_process(given: argparse.Namespace, folder: Path, store: Path) -> dict[str, float]:
    """Build in a process of its own, so that its peak memory is its own; kernels are warm."""
    command = [sys.executable, __file__, str(folder), "--one", str(store)]
    command += ["--alignment", given.alignment]
    command += ["--classes"] if given.classes else []
    command += ["--prune", str(given.prune)] if given.prune else []
    # The class files stay where they are when the corpus is halved.
    for name in ("src.classes", "tgt.classes"):
        if given.classes and not (folder / name).exists():
            (folder / name).symlink_to((given.folder / name).resolve())
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def build_one(given: argparse.Namespace) -> None:
    import grammar_store as gs

    source = files(given, given.folder)
    start = time.perf_counter()
    report = gs.open(given.one).build(
        source.source,
        source.target,
        source.alignment,
        source_classes=source.source_classes,
        target_classes=source.target_classes,
        prune=given.prune,
    )
    total = time.perf_counter() - start
    # Not getrusage: that begins with the peak of the process that started this one.
    (peak,) = (
        int(line.split()[1]) * 1024
        for line in Path("/proc/self/status").read_text().splitlines()
        if line.startswith("VmHWM:")
    )
    sizes = {name: getattr(report, name) for name in ("sentences", "rules", "contexts")}
    sizes["nonterminals"] = report.nonterminals
    print(json.dumps(sizes | report.seconds | {"total": total, "peak": peak}))


def show(title: str, report: dict[str, float], store: Path) -> None:
    size = store.stat().st_size
    print(f"\n{title}: {report['sentences']:,} sentence pairs")
    for name in ("nonterminals", "rules", "contexts"):
        print(f"  {name:<13}{report[name]:>14,}")
    for name in ("read", "extract", "load", "total"):
        print(f"  {name:<13}{report[name]:>14.1f} s")
    print(f"  {'sentences/s':<13}{report['sentences'] / report['total']:>14,.0f}")
    print(f"  {'rules/s':<13}{report['rules'] / report['total']:>14,.0f}")
    print(f"  {'peak memory':<13}{report['peak'] / 1e9:>14.2f} GB")
    print(f"  {'file':<13}{size / 1e6:>14,.0f} MB, {size / report['rules']:.1f} bytes per rule")


def shared_contexts(store: Path) -> None:
    """How long the SQL question for shared contexts takes, warm."""
    import grammar_store as gs

    with gs.open(store, read_only=True) as opened:
        seconds = []
        for other in (2, 3, 4, 5, 6):
            start = time.perf_counter()
            rows = opened.sql("FROM shared_contexts($a, $b)", a=1, b=other).fetchall()
            seconds.append(time.perf_counter() - start)
        print(
            f"  contexts shared by X1 and X2 .. X6: {statistics.median(seconds):.3f} s "
            f"(median, {len(rows):,} rows for the last)"
        )


def halved(given: argparse.Namespace, folder: Path) -> Path:
    """Every second sentence pair."""
    folder.mkdir()
    for name in ("train.src.gz", "train.tgt.gz", given.alignment):
        with gzip.open(given.folder / name) as whole, gzip.open(folder / name, "wb") as half:
            half.writelines(line for number, line in enumerate(whole) if number % 2 == 0)
    return folder


if __name__ == "__main__":
    main()
