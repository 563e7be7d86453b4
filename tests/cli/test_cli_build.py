"""The command build: its inputs, its options, and what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from commands import TABLE_1, digest, names, run_here, write_bitext
from malformed import COMPRESS

from grammar_store.extraction.options import PRESETS, ExtractionOptions

CLASSES = {
    "source_classes": "das\tD\nneue\tA\nHaus\tN\n",
    "target_classes": "the\tD\nnew\tA\nhouse\tN\n",
}
FACTORS = {"source_factors": "D A N\nD N\n", "target_factors": "D A N\nD N\n"}


def combined() -> str:
    columns = (text.splitlines() for text in TABLE_1.values())
    return "".join(" ||| ".join(row) + "\n" for row in zip(*columns, strict=True))


def rules(store: Path) -> str:
    return run_here("rules", store, "--limit", 0).quiet().stdout


def facts(store: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run_here("info", store, "--json").quiet().stdout)
    return found


def build(folder: Path, *options: Any) -> dict[str, Any]:
    """Build the store of Table 1 with some options; what ``info`` says of it."""
    folder.mkdir(exist_ok=True)
    store = folder / "x.duckdb"
    run_here("build", *write_bitext(folder), "--store", store, *options).quiet()
    return facts(store)


def test_what_it_says(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    outcome = run_here("build", *write_bitext(tmp_path), "--store", store).quiet()
    said = dict(line.split("  ", 1) for line in outcome.lines)
    said = {name: value.strip() for name, value in said.items()}
    assert list(said)[:5] == ["store", "sentence pairs", "non-terminals", "rules", "contexts"]
    assert said["store"] == str(store)
    assert said["sentence pairs"] == "2"
    assert said["non-terminals"] == "7"
    assert said["rules"] == "18"
    assert said["signature"] == facts(store)["signature"]
    assert names(tmp_path) == {"source", "target", "alignment", "x.duckdb"}


def test_the_report_as_json(tmp_path: Path) -> None:
    files = write_bitext(tmp_path, TABLE_1 | {"alignment": "0-0 0-0\n\n"})
    outcome = run_here("build", *files, "--store", tmp_path / "x.duckdb", "--json").quiet()
    report = json.loads(outcome.stdout)
    assert (report["sentences"], report["skipped"]) == (2, {})
    assert [note.split(" in ")[0] for note in report["notes"]] == ["repeated links", "no links"]
    assert set(report["seconds"]) == {"read", "extract", "load"}


def test_notes_and_skipped_sentence_pairs_are_told(tmp_path: Path) -> None:
    source = "das neue Haus\r\n" + "das " * 100 + "Haus\ndas Haus\n"
    target = "the new house\n" + "the " * 100 + "house\nthe house\n"
    files = write_bitext(tmp_path, {"source": source, "target": target, "alignment": "0-0\n" * 3})
    store = tmp_path / "x.duckdb"
    outcome = run_here("build", *files, "--store", store)
    assert outcome.code == 0
    assert outcome.stderr.splitlines() == [
        f"note: carriage return at the end of 1 line of {files[0]} (line 1): "
        "kept as part of the last word",
        "note: 1 sentence pair(s) skipped: more than 100 words",
    ]
    assert facts(store)["skipped"] == 1


@pytest.mark.parametrize("compression", COMPRESS)
@pytest.mark.parametrize("text", [TABLE_1, {"combined": combined()}], ids=["three", "one"])
def test_compressed_inputs_give_the_same_grammar(
    tmp_path: Path, table1: Path, text: dict[str, str], compression: str
) -> None:
    files = []
    for role, content in text.items():
        files.append(tmp_path / f"{role}{compression}")
        files[-1].write_bytes(COMPRESS[compression](content.encode()))
    store = tmp_path / "x.duckdb"
    run_here("build", *files, "--store", store).quiet()
    assert rules(store) == rules(table1)
    if "source" in text:
        # The fingerprints are of the uncompressed text, so this is the same input.
        assert facts(store)["signature"] == facts(table1)["signature"]


@pytest.mark.parametrize("given", [CLASSES, FACTORS], ids=["classes", "factors"])
def test_word_classes(tmp_path: Path, given: dict[str, str]) -> None:
    options: list[Any] = []
    for role, text in given.items():
        (tmp_path / role).write_text(text)
        options += ["--" + role.replace("_", "-"), tmp_path / role]
    told = build(tmp_path, *options)
    assert set(told["inputs"]) == {*TABLE_1, *given}
    query = "SELECT source, target, count FROM nonterminal WHERE source NOT LIKE '% %' ORDER BY 1"
    rows = json.loads(run_here("sql", tmp_path / "x.duckdb", query, "--json").quiet().stdout)
    # By hand: one article, one adjective, one noun a sentence pair.
    assert [tuple(row.values()) for row in rows] == [("A", "A", 1), ("D", "D", 2), ("N", "N", 2)]
    query = "FROM bitext ORDER BY 1"
    rows = json.loads(run_here("sql", tmp_path / "x.duckdb", query, "--json").quiet().stdout)
    assert [row["source"] for row in rows] == ["das neue Haus", "das Haus"]
    assert [row["source_classes"] for row in rows] == ["D A N", "D N"]


def test_classes_of_one_side_only(tmp_path: Path) -> None:
    (tmp_path / "classes").write_text(CLASSES["source_classes"])
    assert build(tmp_path, "--source-classes", tmp_path / "classes")["nonterminals"] == 7
    assert run_here("show", tmp_path / "x.duckdb", "D N ||| the house").code == 0


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--max-gaps", "0"], {"max_gaps": 0}),
        (["--max-gaps", "3"], {"max_gaps": 3}),
        (["--max-length", "2"], {"max_length": 2, "max_words": None}),
        (["--max-source-symbols", "2"], {"max_source_symbols": 2}),
        (["--max-source-symbols", "none"], {"max_source_symbols": None}),
        (["--min-gap-length", "2"], {"min_gap_length": 2}),
        (["--adjacent-gaps"], {"adjacent_gaps": True}),
        (["--no-adjacent-gaps"], {"adjacent_gaps": False}),
        (["--tight"], {"tight": True}),
        (["--no-tight"], {"tight": False}),
        (["--lexical", "source"], {"lexical": "source"}),
        (["--lexical", "both"], {"lexical": "both"}),
        (["--lexical", "aligned"], {"lexical": "aligned"}),
        (["--counting", "occurrence"], {"counting": "occurrence"}),
        (["--max-words", "7"], {"max_words": 7}),
        (["--max-words", "none"], {"max_words": None}),
        (["--max-phrase-pairs", "9"], {"max_phrase_pairs": 9}),
    ],
    ids=" ".join,
)
def test_every_option_reaches_the_extraction(
    tmp_path: Path, arguments: list[str], expected: dict[str, Any]
) -> None:
    options = build(tmp_path, *arguments)["options"]
    assert options == ExtractionOptions().as_dict() | expected


def test_the_options_tested_are_all_there_are() -> None:
    (test,) = test_every_option_reaches_the_extraction.pytestmark
    tested = {name for _, expected in test.args[1] for name in expected}
    assert tested == set(ExtractionOptions().as_dict())


@pytest.mark.parametrize("preset", PRESETS)
def test_presets(tmp_path: Path, preset: str) -> None:
    assert build(tmp_path, "--preset", preset)["options"] == PRESETS[preset].as_dict()
    changed = build(tmp_path, "--preset", preset, "--max-gaps", "1", "--max-length", "none")
    # Phrases of any length: long sentences are left out, as in the preset "full".
    without_limit = {"max_gaps": 1, "max_length": None, "max_words": 100}
    assert changed["options"] == PRESETS[preset].as_dict() | without_limit


def test_an_option_changes_the_grammar_and_the_signature(tmp_path: Path, table1: Path) -> None:
    told = build(tmp_path, "--max-length", "1")
    assert (told["nonterminals"], told["rules"]) == (3, 3)
    assert told["signature"] != facts(table1)["signature"]
    assert "max_length=1" in told["signature"]


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_the_number_of_threads_changes_nothing(tmp_path: Path, table1: Path, threads: int) -> None:
    assert build(tmp_path, "--threads", threads) == facts(table1)
    assert rules(tmp_path / "x.duckdb") == rules(table1)


def test_pruning_is_recorded(tmp_path: Path, table1: Path) -> None:
    told = build(tmp_path, "--prune", "0.05", "--fisher-below", "0", "--memory-limit", "512MB")
    assert (told["prune_alpha"], told["prune_fisher"]) == (0.05, False)
    # By hand: theta is -ln(0.05 / 2) / 2 = 1.84. No context has an energy near it, as no count of
    # a rule with a gap is above 1/3, and only das and Haus, which fill no gap of each other, have
    # a count above it. So all seven lexical rules stay, and nothing else.
    assert (told["rules"], told["rules_before_pruning"]) == (7, 18)
    assert told["nonterminals"] == facts(table1)["nonterminals"]
    with_fisher = build(tmp_path / "other", "--prune", "0.05")
    assert with_fisher["prune_fisher"] is True


def test_a_store_is_replaced_by_the_next_build(tmp_path: Path) -> None:
    first = build(tmp_path)
    assert build(tmp_path, "--max-gaps", "0")["rules"] == 7
    assert build(tmp_path) == first
    assert names(tmp_path) == {*TABLE_1, "x.duckdb"}


def test_a_store_with_sessions_is_kept_unless_forced(tmp_path: Path) -> None:
    build(tmp_path)
    store = tmp_path / "x.duckdb"
    with duckdb.connect(str(store)) as connection:
        values = {"session_id": 1, "name": "mine", "method": "manual", "parameters": "{}"}
        values |= {"signature": "s", "status": "open", "created_at": "2020-01-01"}
        values |= {"description": "", "last_step": 0, "last_hash": 0}
        columns = [row[0] for row in connection.execute("DESCRIBE session").fetchall()]
        row = [values.get(column) for column in columns]
        connection.execute(f"INSERT INTO session VALUES ({', '.join('?' * len(row))})", row)
    before = digest(store)
    arguments = ["build", *write_bitext(tmp_path), "--store", store]
    message = run_here(*arguments).error
    assert message == (
        f"{store} holds 1 session(s) that building anew would delete: "
        "choose another file or add --force"
    )
    assert digest(store) == before
    run_here(*arguments, "--force").quiet()
    assert facts(store)["sessions"] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--max-gaps", "5"], "max_gaps must be from 0 to 4, not 5"),
        (["--max-gaps", "-1"], "max_gaps must be from 0 to 4, not -1"),
        (["--max-length", "0"], "max_length must be from 1 to 60000 or None, not 0"),
        (["--max-words", "70000"], "max_words must be from 1 to 60000 or None, not 70000"),
        (["--min-gap-length", "0"], "min_gap_length must be at least 1, not 0"),
        (["--max-phrase-pairs", "0"], "max_phrase_pairs must be from 1 to 10000000, not 0"),
        (["--prune", "0"], "prune must be above 0 and at most 1, not 0.0"),
        (["--prune", "nan"], "prune must be above 0 and at most 1, not nan"),
        (["--prune", "2"], "prune must be above 0 and at most 1, not 2.0"),
        (["--prune", "0.1", "--max-gaps", "2"], "pruning is exact only for rules with one gap"),
        (["--fisher-below", "-1"], "fisher_below must be at least 0, not -1"),
        (["--threads", "0"], "threads must be from 1 to 1024, not 0"),
        (["--threads", "1000000"], "threads must be from 1 to 1024, not 1000000"),
        (["--memory-limit", "lots"], "memory_limit must be a number and a unit such as 2GB"),
        (["--max-length", "x"], "'x' is neither a whole number nor none"),
        (["--max-gaps", "x"], "'x' is not a valid integer"),
        (["--lexical", "x"], "'x' is not one of"),
        (["--preset", "x"], "'x' is not one of"),
        (["--nosuch"], "--nosuch"),
        (["surplus"], "unexpected extra argument"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unusable_options_are_refused(tmp_path: Path, arguments: list[str], message: str) -> None:
    store = tmp_path / "x.duckdb"
    outcome = run_here("build", *write_bitext(tmp_path), "--store", store, *arguments)
    assert message in outcome.error
    assert names(tmp_path) == set(TABLE_1)


def test_inputs_that_exclude_each_other(tmp_path: Path) -> None:
    source, target, alignment = write_bitext(tmp_path)
    store = ["--store", tmp_path / "x.duckdb"]
    message = "give source, target and alignment, or one combined file"
    assert run_here("build", source, target, *store).error == message
    both = ["--source-classes", source, "--source-factors", source]
    message = "source_classes and source_factors exclude each other"
    assert run_here("build", source, target, alignment, *store, *both).error == message
    assert "Missing option '--store'" in run_here("build", source, target, alignment).error
    assert "Missing argument 'SOURCE'" in run_here("build", *store).error


def test_a_bitext_without_links_gives_an_empty_store(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    (tmp_path / "text").write_text("a ||| b |||\n")
    outcome = run_here("build", tmp_path / "text", "--store", store)
    assert (outcome.code, outcome.stderr.count("\n")) == (0, 1)
    assert "no links in 1 sentence pair (line 1)" in outcome.stderr
    assert facts(store)["nonterminals"] == 0
    assert rules(store) == "production\tcount\n"
    assert run_here("check", store).quiet().stdout == "all invariants hold\n"
    assert run_here("show", store, "X1").error == "no non-terminal X1: the store has none at all"
