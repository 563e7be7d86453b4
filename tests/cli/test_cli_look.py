"""The commands info, show, rules, check and demo."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from commands import TABLE_1, names, run, run_here, write_bitext

import grammar_store as gs
from grammar_store.extraction.options import ExtractionOptions


def test_info(table1: Path) -> None:
    lines = run_here("info", table1).quiet().lines
    said = {line.rpartition("  ")[0].strip(): line.rpartition("  ")[2] for line in lines}
    assert said["nonterminals"] == "7"
    assert said["leaves"] == "3"
    assert said["height"] == "2"  # X1 contains X2, and X2 contains X4
    assert said["occurrences"] == "9"  # 6 of the first sentence pair and 3 of the second
    assert said["rules"] == "18"
    assert said["contexts"] == "7"
    assert said["glue rules"] == "2"
    assert said["bytes"] == f"{table1.stat().st_size:,}"
    assert said["option max_gaps"] == "1"
    assert len(said["sha256 of source"]) == 64
    assert "pruned" not in said


def test_info_as_json(table1: Path) -> None:
    facts = json.loads(run_here("info", table1, "--json").quiet().stdout)
    assert facts["prune_alpha"] is None
    assert facts["prune_fisher"] is None
    assert facts["rules"] == facts["rules_before_pruning"] == 18
    assert facts["sentences"] == 2
    assert facts["skipped"] == 0
    assert facts["sessions"] == 0
    assert facts["bytes"] == table1.stat().st_size
    assert facts["options"] == ExtractionOptions().as_dict()
    assert set(facts["inputs"]) == set(TABLE_1)
    assert facts["signature"].startswith(f"grammar_store|{facts['version']}|")


def test_info_tells_of_pruning(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run_here("build", *gs.sample_files(), "--store", store, "--prune", "0.01").quiet()
    facts = json.loads(run_here("info", store, "--json").quiet().stdout)
    assert (facts["prune_alpha"], facts["prune_fisher"]) == (0.01, True)
    before = facts["rules_before_pruning"]
    assert facts["rules"] < before
    (line,) = [line for line in run_here("info", store).lines if line.startswith("pruned")]
    assert line.split("  ")[-1] == f"for alpha up to 0.01, with Fisher; {before:,} rules before"
    assert run_here("check", store).quiet()


def test_show_by_id_and_by_text(table1: Path) -> None:
    by_text = run_here("show", table1, "das neue ||| the new").quiet()
    name = by_text.stdout.split()[0]
    assert run_here("show", table1, name) == by_text
    x4, x5 = (
        run_here("show", table1, text).stdout.split()[0] for text in ("das ||| the", "neue ||| new")
    )
    assert by_text.lines == [
        f"{name}  das neue ||| the new",
        "count           1",
        "sentence pairs  1",
        "height          1",
        "",
        "Rules (3 of 3)",
        "rule\tcount",
        f"{name} -> (das neue, the new)\t1/3",
        f"{name} -> ([{x4},1] neue, [{x4},1] new)\t1/3",
        f"{name} -> (das [{x5},1], the [{x5},1])\t1/3",
        "",
        "Contexts, the most frequent first",
        "context\tcount\tproportion",
        "[_] Haus | [_] house\t0.166667\t0.1667",
        "",
        "Sentences (1 of 1 occurrences)",
        "sentence\tsource\ttarget",
        "1\t«das neue» Haus\t«the new» house",
    ]


def test_show_as_json(table1: Path) -> None:
    found = json.loads(run_here("show", table1, "Haus ||| house", "--json").quiet().stdout)
    assert (found["source"], found["target"], found["count"]) == ("Haus", "house", 2)
    assert (found["rule_count"], found["height"], found["sentences"]) == (1, 0, 2)
    assert [rule["count"] for rule in found["rules"]] == [2.0]
    # Where Haus is the gap, by Table 1: X1 (1/6), X3 and X7 (1/3 each), each of C(Haus) = 2.
    contexts = {row["source"]: row["c"] for row in found["contexts"]}
    assert contexts == pytest.approx({"das neue [_]": 1 / 6, "neue [_]": 1 / 3, "das [_]": 1 / 3})
    assert [example["sentence_id"] for example in found["examples"]] == [1, 2]
    assert found["examples"][0]["source"] == ["das neue", "Haus", ""]
    assert found["examples"][1]["target"] == ["the", "house", ""]


def test_show_no_more_than_asked_for(sample: Path) -> None:
    def sizes(limit: int) -> list[int]:
        command = ("show", sample, "das ||| the", "--json", "--limit", limit)
        found = json.loads(run_here(*command).quiet().stdout)
        return [len(found[kind]) for kind in ("rules", "contexts", "examples")]

    assert sizes(2) == [1, 2, 2]
    with gs.open(sample, read_only=True) as store:
        found = store["das ||| the"]
        everything = [1, len(found.contexts(10**6)), found.count]
    assert sizes(0) == everything


def test_what_is_not_there_is_refused_with_near_matches(table1: Path) -> None:
    message = run_here("show", table1, "das neues ||| the new").error
    assert message.startswith("no non-terminal 'das neues ||| the new'; near matches: X")
    assert "'das neue ||| the new'" in message
    assert run_here("rules", table1, "--lhs", "das neues ||| the new").error == message
    assert run_here("show", table1, "X8").error == "no non-terminal X8: ids run from X1 to X7"
    assert run_here("show", table1, "X0").error == "no non-terminal X0: ids run from X1 to X7"
    for name in ("Haus", "x1", "", "|||", "X1 ", "Haus|||house"):
        message = run_here("show", table1, name).error
        assert f"{name!r} names no non-terminal: write X12 or 'source ||| target'" in message
    message = run_here("show", table1, "\udcff ||| \udcff").error
    assert message.endswith("names no non-terminal: it is not UTF-8 text")


def test_rules_says_when_there_are_more(sample: Path) -> None:
    outcome = run_here("rules", sample, "--limit", 5)
    assert outcome.code == 0
    assert len(outcome.lines) == 1 + 5 + 5
    note = "only the first 5 rules of each kind: use --limit 0 for all\n"
    assert outcome.stderr == note
    found = run_here("rules", sample, "--limit", 5, "--json")
    assert found.stderr == note
    assert [len(rows) for rows in json.loads(found.stdout).values()] == [5, 5]
    everything = run_here("rules", sample, "--limit", 0).quiet()
    facts = json.loads(run_here("info", sample, "--json").stdout)
    assert len(everything.lines) == 1 + facts["glue_rules"] + facts["rules"]
    assert run_here("rules", sample, "--limit", 10**6).quiet() == everything


def test_the_glue_of_a_rare_non_terminal_is_listed(sample: Path) -> None:
    query = "SELECT max(nonterminal_id) AS id FROM glue"
    rarest = json.loads(run_here("sql", sample, query, "--json").stdout)[0]["id"]
    lines = run_here("rules", sample, "--lhs", f"X{rarest}", "--limit", 1).lines
    assert lines[1] == f"I -> ([X{rarest},1], [X{rarest},1])\t1"


def test_rules_with_counts_per_occurrence_are_decimals(tmp_path: Path) -> None:
    # "a b" occurs with both words linked, which makes 3 rules, and as a block, which makes 1.
    text = "a b ||| x y ||| 0-0 1-1\na b ||| x y ||| 0-0 0-1 1-0 1-1\n"
    (tmp_path / "text").write_text(text)
    command = ("build", tmp_path / "text", "--store", tmp_path / "x.duckdb")
    run_here(*command, "--counting", "occurrence").quiet()
    lines = run_here("rules", tmp_path / "x.duckdb", "--lhs", "a b ||| x y").quiet().lines
    assert [line.split("\t")[1] for line in lines] == [
        "count",
        "2",
        "1.33333",
        "0.333333",
        "0.333333",
    ]


def test_check(table1: Path, sample: Path) -> None:
    for store in (table1, sample):
        assert run_here("check", store).quiet().stdout == "all invariants hold\n"
        assert run_here("check", store, "--json").quiet().stdout == "[]\n"


def test_check_tells_what_is_broken(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run_here("build", *write_bitext(tmp_path), "--store", store).quiet()
    with duckdb.connect(str(store)) as connection:
        connection.execute("UPDATE nonterminal SET count = count + 1 WHERE source = 'das'")
    outcome = run_here("check", store)
    assert (outcome.code, outcome.stderr) == (1, "")
    assert any(line.startswith("occurrence_counts: ") for line in outcome.lines)
    assert outcome.lines[-1].endswith(" broken invariant(s)")
    as_json = run_here("check", store, "--json")
    assert (as_json.code, as_json.stderr) == (1, "")
    problems = json.loads(as_json.stdout)
    assert outcome.lines[-1] == f"{len(problems)} broken invariant(s)"
    assert set(problems[0]) == {"check", "invariant", "violations", "count"}
    assert run("check", store).code == 1


def test_check_of_what_cannot_be_opened(tmp_path: Path) -> None:
    assert "does not exist" in run_here("check", tmp_path / "nothing.duckdb").error


def test_demo(tmp_path: Path) -> None:
    outcome = run("demo", cwd=tmp_path).quiet()
    assert names(tmp_path) == {"demo.duckdb"}
    assert "360 sentence pairs" in outcome.stdout
    assert "The rules of X" in outcome.stdout
    assert "das Haus ||| the house" in outcome.stdout
    assert run_here("check", tmp_path / "demo.duckdb").quiet()
    # The commands that it offers work.
    offers = [line.partition("grammar-store ")[2] for line in outcome.lines[-3:]]
    assert offers[0].startswith('sql demo.duckdb "FROM contexts_of(')
    query = offers[0].partition('"')[2].rstrip('"')
    assert len(run_here("sql", tmp_path / "demo.duckdb", query).quiet().lines) == 11
    name = offers[1].partition("'")[2].rstrip("'")
    assert run_here("show", tmp_path / "demo.duckdb", name).quiet()
    assert offers[2] == "history demo.duckdb --session demo --limit 5"
    history = run_here("history", tmp_path / "demo.duckdb", "--session", "demo", "--limit", 5)
    assert (history.code, len(history.lines)) == (0, 6)


def test_demo_keeps_sessions_of_others(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run_here("demo", "--store", store).quiet()
    run_here("merge", store, "X1", "X2", "--session", "mine").quiet()
    refused = run_here("demo", "--store", store)
    assert refused.code == 2
    assert "2 session(s)" in refused.stderr


def test_demo_elsewhere_and_again(tmp_path: Path) -> None:
    store = tmp_path / "other.duckdb"
    first, again = (run_here("demo", "--store", store).quiet() for _ in range(2))
    assert first == again
    assert names(tmp_path) == {"other.duckdb"}
