"""Files appear complete or not at all: killed writers, full disks, and errors on the way."""

from __future__ import annotations

import gzip
import os
import signal
from itertools import count
from pathlib import Path

import pytest
from commands import names
from forked import server
from tracing import needs_strace, traced

from grammar_store.errors import GrammarStoreError
from grammar_store.export.files import new_file, new_folder
from grammar_store.export.formats import WriteOptions, write_rules
from grammar_store.export.rules import TranslationGrammar

RULES = 20_000

# Writes a grammar to the file named, in the format named; a third argument limits sizes of files.
WRITER = f"""
import resource, sys
import pyarrow as pa
from grammar_store.export.formats import write_rules
from grammar_store.export.rules import TranslationGrammar
from grammar_store.export.sentences import write_sentence_grammars
from grammar_store.export.tables import write_table
path, form, *limit = sys.argv[1:]
grammar = TranslationGrammar.of(
    [
        {{"lhs": "X", "source": f"word{{n % 500}} [X,1] {{n}}", "target": f"[X,1] {{n}}",
          "alignment": "0-0 1-0 2-1", "features": [1 / (n + 1)]}}
        for n in range({RULES})
    ],
    ("p(e|f)",),
)
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit[0]), int(limit[0])))
sys.stdin.readline()
if form == "sentences":
    write_sentence_grammars(grammar, [["word1", "x", "1"]], path, "moses")
elif form == "parquet":
    write_table(grammar.rules(), path, "parquet", "")
else:
    write_rules(grammar, path, form)
print("done", flush=True)
"""


def is_complete(path: Path) -> bool:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).count(b"\n") == RULES


@needs_strace
@pytest.mark.parametrize("call", ["openat", "write", "fsync", "/rename", "/unlink"])
def test_a_writer_killed_at_any_call(tmp_path: Path, call: str) -> None:
    """At the first call about the files that are being written, at the second, and so on."""
    path = tmp_path / "rules.gz"
    beside = path.with_name(f"{path.name}.signature.json")
    unfinished = [each.with_name(f".{each.name}.unfinished") for each in (path, beside)]
    trace = tmp_path.with_name(f"{tmp_path.name}.trace")
    is_old = []
    for when in count(1):
        path.write_bytes(b"old")
        beside.unlink(missing_ok=True)
        with (
            server().start(WRITER, path, "cdec") as process,
            traced(process, f"{call}:signal=KILL:when={when}", trace, *unfinished),
        ):
            process.tell("go")
            code = process.wait()
        if code == 0:
            break
        assert code == -signal.SIGKILL
        assert names(tmp_path) <= {path.name, beside.name, *(each.name for each in unfinished)}
        is_old.append(path.read_bytes() == b"old")
        assert is_old[-1] or is_complete(path)
    # There is no way back from the new file to the old one.
    assert is_old == sorted(is_old, reverse=True)
    assert not is_old[-1], "when the file beside it was written"
    # What was left over is no obstacle, and goes.
    assert is_complete(path)
    assert names(tmp_path) == {path.name, beside.name}


@pytest.mark.parametrize(
    ("form", "limit"), [("moses", 0), ("joshua", 100_000), ("parquet", 1000), ("sentences", 0)]
)
def test_a_full_disk_leaves_the_old_file(tmp_path: Path, form: str, limit: int) -> None:
    path = tmp_path / "out"
    if form != "sentences":
        path.write_bytes(b"old")
    with server().start(WRITER, path, form, limit) as process:
        process.tell("go")
        said = process.stderr.read()
        assert process.wait() == 1
    assert f"GrammarStoreError: cannot write {path}: File too large: make room" in said
    assert names(tmp_path) == (set() if form == "sentences" else {"out"})
    if form != "sentences":
        assert path.read_bytes() == b"old"


@pytest.mark.parametrize("name", ["x", "x.gz"])
def test_an_error_on_the_way_leaves_the_old_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), new_file(path) as sink:
        sink.write(b"new" * (1000 // 0))
    assert path.read_bytes() == b"old"
    with pytest.raises(ZeroDivisionError), new_folder(tmp_path / "f") as folder:
        (folder / "file").write_bytes(b"new" * (1000 // 0))
    assert names(tmp_path) == {name}


def test_a_link_stays_a_link_and_a_device_a_device(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with new_file(tmp_path / "link") as sink:
        sink.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    grammar = TranslationGrammar.of([{"lhs": "X", "source": "a", "target": "b"}])
    assert write_rules(grammar, "/dev/null", "cdec") == 1
    assert not Path("/dev/null.signature.json").exists()
    assert not os.path.exists("/dev/.null.spill")


def test_the_same_grammar_makes_the_same_bytes(tmp_path: Path) -> None:
    rows = [
        {"lhs": "X", "source": f"a{n % 7} {n}", "target": f"b {n}", "features": [1 / (n + 1)]}
        for n in range(2000)
    ]
    grammar = TranslationGrammar.of(rows, ("p(e|f)",))
    backwards = TranslationGrammar.of(rows[::-1], ("p(e|f)",))
    for number, each in enumerate((grammar, backwards)):
        write_rules(each, tmp_path / f"{number}.gz", "moses", WriteOptions(threads=1 + number))
    one, other = (tmp_path / f"{number}.gz" for number in range(2))
    assert one.read_bytes() == other.read_bytes()
    lines = gzip.decompress(one.read_bytes()).splitlines()
    assert lines == sorted(lines), "the order of bytes, as LC_ALL=C sort has it"


@pytest.mark.parametrize(
    ("row", "options", "said"),
    [
        ({"source": "a|b"}, WriteOptions(entities=False), "'a|b' cannot stand in a rule table"),
        ({"source": "[X]"}, WriteOptions(entities=False), "cannot stand in a rule table"),
        ({"features": [0.0]}, WriteOptions(), "a probability must not be 0"),
        ({"features": [float("nan")]}, WriteOptions(), "which no decoder reads"),
        ({"source": ""}, WriteOptions(), "an empty side"),
        ({"source": " ".join(f"[X,{n}]" for n in range(1, 11))}, WriteOptions(), "more gaps"),
    ],
)
def test_what_a_format_cannot_hold(
    tmp_path: Path, row: dict[str, object], options: WriteOptions, said: str
) -> None:
    rule = {"lhs": "X", "source": "a", "target": "b", "features": [0.5], **row}
    path = tmp_path / "rules"
    with pytest.raises(GrammarStoreError, match="cannot write the rules: ") as refused:
        write_rules(TranslationGrammar.of([rule], ("p(e|f)",)), path, "joshua", options)
    assert said in str(refused.value)
    assert names(tmp_path) == set()


def test_a_rule_of_moses_has_all_its_scores(tmp_path: Path) -> None:
    rule = {"lhs": "X", "source": "a", "target": "b", "features": [None]}
    with pytest.raises(GrammarStoreError, match="the rule 'a' lacks a feature"):
        write_rules(TranslationGrammar.of([rule], ("p(e|f)",)), tmp_path / "rules", "moses")
    with pytest.raises(GrammarStoreError, match="cannot be the name of a feature"):
        write_rules(TranslationGrammar.of([rule], ("a b",)), tmp_path / "rules", "moses")
    label = rule | {"lhs": "N P"}
    with pytest.raises(GrammarStoreError, match="'N P' cannot be a label"):
        write_rules(TranslationGrammar.of([label], ("p(e|f)",)), tmp_path / "rules", "moses")
