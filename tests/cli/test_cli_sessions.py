"""The commands of sessions, on a store whose ids and counts can be told from its six words."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Outcome, names, run, run_here
from test_cli_errors import FOREIGN, damages
from test_cli_process import on_a_terminal, without_colour

import grammar_store as gs

WORDS = {"a": 4, "b": 3, "c": 2, "d": 1, "e": 1, "f": 1}
"""Ids are by falling count, then by text: a is X1, b is X2, and so on."""


def built(folder: Path, words: dict[str, int], name: str = "x.duckdb") -> Path:
    lines = [f"{word} ||| {word.upper()} ||| 0-0\n" * count for word, count in words.items()]
    (folder / "text").write_text("".join(lines))
    run_here("build", folder / "text", "--store", folder / name).quiet()
    return folder / name


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("words"), WORDS)


@pytest.fixture
def store(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copyfile(original, tmp_path / "x.duckdb"))


def merge(store: Path, a: str, b: str, session: str = "s", *more: str) -> Outcome:
    return run_here("merge", store, a, b, "--session", session, *more)


def as_json(*arguments: object) -> Any:
    return json.loads(run_here(*arguments, "--json").quiet().stdout)


def pairs(store: Path, session: str = "s") -> list[tuple[str, str]]:
    """Who was displaced by whom, step by step."""
    rows = as_json("history", store, "--session", session, "--limit", 0)
    assert [row["step"] for row in rows] == list(range(1, len(rows) + 1))
    return [(row["displaced"], row["leader"]) for row in rows]


def members(store: Path, session: str = "s", *more: object) -> dict[int, set[str]]:
    """The texts of the members of each class by leader."""
    rows = as_json("classes", store, "--session", session, *more)
    assert all(row["members"] <= 3 for row in rows)  # no more are shown
    return {row["leader"]: set(row["examples"].split(", ")) for row in rows}


def test_merging_by_hand(store: Path) -> None:
    first = run("merge", store, "X2", "c ||| C", "--session", "s").quiet()
    assert first.lines == ["step 1: X3 (c ||| C) into X2 (b ||| B)"]
    # The class of b and c has 5, a has 4: a gives way.
    second = merge(store, "X1", "X3").quiet()
    assert second.lines == ["step 2: X1 (a ||| A) into X2 (b ||| B)"]
    # Of equals the one with the smaller id stays, unless told otherwise.
    assert merge(store, "X5", "X4").lines == ["step 3: X5 (e ||| E) into X4 (d ||| D)"]
    (step,) = json.loads(merge(store, "X6", "X2", "s", "--leader", "f ||| F", "--json").stdout)
    assert (step["step"], step["displaced"], step["leader"], step["reason"]) == (4, 2, 6, "manual")
    assert run_here("history", store, "--session", "s").quiet().lines == [
        "step\twhat\twhy\tcomparison",
        "1\tX3 (c ||| C) into X2 (b ||| B)\tmanual\t",
        "2\tX1 (a ||| A) into X2 (b ||| B)\tmanual\t",
        "3\tX5 (e ||| E) into X4 (d ||| D)\tmanual\t",
        "4\tX2 (b ||| B) into X6 (f ||| F)\tmanual\t",
    ]
    shown = run_here("history", store, "--session", "s", "--limit", 1)
    assert shown.lines[1:] == ["4\tX2 (b ||| B) into X6 (f ||| F)\tmanual\t"]
    assert shown.stderr == "only the last 1 of 4 steps: use --limit 0\n"
    assert run_here("check", store).quiet()
    assert names(store.parent) == {"x.duckdb"}


def test_a_merge_that_is_refused_changes_nothing(store: Path) -> None:
    merge(store, "X1", "X2").quiet()
    assert merge(store, "X2", "X1").error == "X2 and X1 are in one class already"
    assert "leader must be X1 or X3" in merge(store, "X2", "X3", "s", "--leader", "X2").error
    assert "no non-terminal X7" in merge(store, "X2", "X7").error
    assert pairs(store) == [("X2", "X1")]
    # Nor is a session started.
    for refused in (merge(store, "X1", "X7", "new"), merge(store, "X1", "X1", "new")):
        assert refused.code == 2
    constraint = ("constrain", store, "must", "X1", "nothing", "--session", "new")
    assert "names no non-terminal" in run_here(*constraint).error
    assert [row["name"] for row in as_json("sessions", store)] == ["s"]


def test_listing_and_changing_sessions(store: Path) -> None:
    assert as_json("sessions", store) == []
    merge(store, "X1", "X2").quiet()
    run_here("branch", store, "t", "--session", "s").quiet()
    merge(store, "X3", "X4", "t").quiet()
    rows = as_json("sessions", store, "--describe", "s", "mine, or so")
    assert [(row["name"], row["steps"], row["classes"]) for row in rows] == [
        ("s", 1, 5),
        ("t", 2, 4),
    ]
    assert [(row["parent"], row["forked_at"]) for row in rows] == [(None, None), ("s", 1)]
    assert [row["description"] for row in rows] == ["mine, or so", ""]
    lines = run_here("sessions", store, "--rename", "s", "u").quiet().lines
    assert [line.split("\t")[:6] for line in lines] == [
        ["session", "method", "status", "steps", "classes", "branch of"],
        ["u", "manual", "open", "1", "5", ""],
        ["t", "manual", "open", "2", "4", "u at step 1"],
    ]
    run_here("sessions", store, "--close", "u").quiet()
    assert "session 'u' is closed" in merge(store, "X3", "X4", "u").error
    run_here("sessions", store, "--reopen", "u").quiet()
    merge(store, "X3", "X4", "u").quiet()
    assert "already" in run_here("sessions", store, "--rename", "u", "t").error
    # The branch keeps the step that it shares.
    rows = as_json("sessions", store, "--delete", "u")
    assert [(row["name"], row["parent"]) for row in rows] == [("t", None)]
    assert pairs(store, "t") == [("X2", "X1"), ("X4", "X3")]
    assert run_here("check", store).quiet()


def test_classes(store: Path) -> None:
    merge(store, "X2", "X3").quiet()
    merge(store, "X4", "X5").quiet()
    merge(store, "X4", "X6").quiet()
    assert run_here("classes", store, "--session", "s").quiet().lines == [
        "class\tmembers\tcount\tthe most frequent members",
        "X2\t2\t5\tb ||| B, c ||| C",
        "X1\t1\t4\ta ||| A",
        "X4\t3\t3\td ||| D, e ||| E, f ||| F",
    ]
    assert members(store, "s", "--at", 1, "--min-members", 2) == {2: {"b ||| B", "c ||| C"}}
    assert members(store, "s", "--at", 0).keys() == {1, 2, 3, 4, 5, 6}
    shown = run_here("classes", store, "--session", "s", "--limit", 2, "--json")
    assert [row["count"] for row in json.loads(shown.stdout)] == [5, 4]
    assert shown.stderr == "only the first 2 classes: use --limit 0 for all\n"
    message = run_here("classes", store, "--session", "s", "--at", 4).error
    assert message == "there is no step 4: the session has 3"


def test_undo_and_redo(store: Path) -> None:
    made = [("X2", "X1"), ("X4", "X3"), ("X3", "X1"), ("X6", "X5")]
    for pair in made:
        merge(store, *pair).quiet()
    undo = ("undo", store, "--session", "s")
    assert run_here(*undo).quiet().lines == ["1 step(s) undone, 3 left"]
    assert run_here(*undo, "-n", 2).quiet().lines == ["2 step(s) undone, 1 left"]
    assert pairs(store) == made[:1]
    redo = ("redo", store, "--session", "s")
    assert run_here(*redo, "-n", 3).quiet().lines == ["3 step(s) done again, 4 now"]
    assert pairs(store) == made
    assert run_here(*redo).error == "nothing was undone"
    assert run_here(*undo, "-n", 5).error == "cannot undo 5 step(s): the session has 4"
    # Step 3 takes up the classes of steps 1 and 2; step 4 has nothing to do with them.
    assert "(3)" in run_here(*undo, "--step", 2).error
    assert pairs(store) == made
    rows = as_json(*undo, "--step", 2, "--dry-run")
    assert [row["step"] for row in rows] == [2, 3]
    assert len(run_here(*undo, "-n", 2, "--dry-run").quiet().lines) == 3
    assert pairs(store) == made
    assert run_here(*undo, "--step", 2, "--cascade").quiet().lines == ["2 step(s) undone, 2 left"]
    assert pairs(store) == [made[0], made[3]]
    run_here(*redo).quiet()
    assert pairs(store) == made
    run_here(*undo, "--step", 4).quiet()
    # A new step is the end of what could be done again.
    merge(store, "X5", "X1").quiet()
    assert run_here(*redo).error == "nothing was undone"
    assert run_here("check", store).quiet()


def test_branches_and_their_difference(store: Path) -> None:
    for pair in (("X2", "X1"), ("X3", "X1")):
        merge(store, *pair).quiet()
    said = run_here("branch", store, "t", "--session", "s", "--at", 1).quiet().lines
    assert said == ["t: branch of s at step 1"]
    merge(store, "X3", "X4", "t").quiet()
    assert pairs(store, "t") == [("X2", "X1"), ("X4", "X3")]
    lines = run_here("diff", store, "s", "t").quiet().lines
    assert lines[0] == "from s at step 2 to t at step 2:"
    assert lines[-4:] == [
        "",
        "Moved (1 of 1)",
        "non-terminal\tcount\twas in\tis in",
        "X3 (c ||| C)\t2\tX1\tX3",
    ]
    found = as_json("diff", store, "s", "t")
    assert not found["equal"]
    assert found["split"] == [
        {"leader": 1, "part": 1, "members": 2, "count": 7},
        {"leader": 1, "part": 3, "members": 1, "count": 2},
    ]
    assert found["joined"] == [
        {"leader": 3, "part": 1, "members": 1, "count": 2},
        {"leader": 3, "part": 4, "members": 1, "count": 1},
    ]
    assert [row["source"] for row in found["moved"]] == ["c"]
    assert as_json("diff", store, "s", "t", "--at", 1, "--other-at", 1)["equal"]
    same = run_here("diff", store, "s", "s", "--at", 1).quiet().lines
    assert same[2:] == ["  joined: X1 (2, count 7) and X3 (1, count 2) in X1"]
    message = run_here("branch", store, "s", "--session", "t").error
    assert message == "there is a session 's' already: choose another name"


def test_why(store: Path) -> None:
    for pair in (("X2", "X1"), ("X4", "X3"), ("X3", "X1")):
        merge(store, *pair).quiet()
    lines = run_here("why", store, "b ||| B", "X4", "--session", "s").quiet().lines
    assert lines == [
        "X2 (b ||| B) and X4 (d ||| D) are in one class since step 3",
        "  step 1: X2 (b ||| B) into X1 (a ||| A), manual",
        "  step 3: X3 (c ||| C) into X1 (a ||| A), manual",
        "  step 2: X4 (d ||| D) into X3 (c ||| C), manual",
    ]
    found = as_json("why", store, "X2", "X4", "--session", "s")
    assert found["joined_at"] == 3
    assert [step["step"] for step in found["steps"]] == [1, 3, 2]
    apart = run_here("why", store, "X2", "X5", "--session", "s")
    assert (apart.code, apart.stderr) == (1, "")
    assert apart.stdout.startswith("X2 and X5 are not in one class: `grammar-store why-not`")
    apart = run_here("why", store, "X2", "X5", "--session", "s", "--json")
    assert (apart.code, apart.stdout) == (1, "null\n")
    assert "no non-terminal X7" in run_here("why", store, "X2", "X7", "--session", "s").error
    together = run_here("why-not", store, "X2", "X4", "--session", "s")
    assert together.code == 1
    assert together.stdout.startswith("both are in the class of X1 (a ||| A): ")
    assert run_here("compare", store, "X2", "X4", "--session", "s").code == 0


def test_constraints(store: Path) -> None:
    def constrain(*arguments: object) -> Outcome:
        return run_here("constrain", store, *arguments, "--session", "s")

    constrain("cannot", "X1", "X3").quiet()
    assert constrain("must", "b ||| B", "X1").quiet().lines[1:] == [
        "X1 (a ||| A)\tmust merge with\tX2 (b ||| B)\tnot yet",
        "X1 (a ||| A)\tcannot merge with\tX3 (c ||| C)\tyes",
    ]
    assert as_json("constrain", store, "list", "--session", "s") == [
        {"kind": "must", "first": 1, "second": 2, "met": False},
        {"kind": "cannot", "first": 1, "second": 3, "met": True},
    ]
    for pair in (("X1", "X3"), ("X2", "X3")):  # X2 will be in the class of X1
        message = merge(store, *pair).error
        assert "X1 and X3 cannot merge" in message
    assert "cannot be made to merge" in constrain("must", "X2", "X3").error
    assert "X1 and X2 must merge" in run_here("sessions", store, "--close", "s").error
    required = ("merge", store, "--required", "--session", "s")
    assert run_here(*required).quiet().lines == ["step 1: X2 (b ||| B) into X1 (a ||| A)"]
    assert run_here(*required).quiet().lines == ["nothing to merge"]
    assert as_json("history", store, "--session", "s")[0]["reason"] == "must-merge"
    assert as_json("constrain", store, "list", "--session", "s")[0]["met"]
    constrain("drop", "X3", "X1").quiet()
    assert "no constraint" in constrain("drop", "X3", "X1").error
    merge(store, "X3", "X2").quiet()
    run_here("sessions", store, "--close", "s").quiet()
    assert run_here("check", store).quiet()


def test_comparing_the_classes_of_a_session(sample: Path, tmp_path: Path) -> None:
    store = Path(shutil.copyfile(sample, tmp_path / "x.duckdb"))
    house, car, child = "Haus ||| house", "Auto ||| car", "Kind ||| child"
    merge(store, house, car).quiet()
    with gs.open(store, read_only=True) as opened:
        counts = [opened[name].count for name in (house, car, child)]
        total = sum(
            opened.sql("SELECT sum(c) FROM contexts_of($x)", x=opened[name].id).fetchall()[0][0]
            for name in (house, car)
        )
    command = ("compare", store, house, child, "--limit", 10**6, "--json")
    now = run_here(*command, "--session", "s")
    first = [row for row in json.loads(now.stdout)["comparisons"] if row["depth"] == 0]
    assert {(row["big_c1"], row["big_c2"]) for row in first} == {(sum(counts[:2]), counts[2])}
    assert sum(row["c1"] for row in first) == pytest.approx(total)
    before = run_here(*command)
    assert run_here(*command, "--session", "s", "--at", 0) == before
    assert json.loads(before.stdout)["comparisons"][0]["big_c1"] == counts[0]
    # The session's own level, unless another is given.
    with gs.open(store) as opened:
        opened.session("strict", "manual", alpha=0.5, fisher_below=3)
    for more, alpha in (([], 0.5), (["--alpha", "0.1"], 0.1)):
        verdict = run_here("why-not", store, house, child, "--session", "strict", "--json", *more)
        told = json.loads(verdict.stdout)
        assert (told["alpha"], told["fisher_below"]) == (alpha, 3)
        assert verdict.code == int(told["equivalent"])


def test_replaying_on_another_store(store: Path, tmp_path: Path) -> None:
    for pair in (("X1", "X2"), ("X3", "X6"), ("X5", "X4"), ("X3", "X1")):
        merge(store, *pair).quiet()
    # There f is X1, e is X2, d X3, c X4, b X5 and a X6.
    words = {word: 7 - number for number, word in enumerate(reversed(WORDS), 1)}
    (tmp_path / "other").mkdir()
    other = built(tmp_path / "other", words)
    said = run_here("replay", store, "s", other).quiet().lines
    assert said == ["s: 4 steps made, 0 skipped, 0 non-terminals missing"]
    assert pairs(other) == [("X5", "X6"), ("X1", "X4"), ("X2", "X3"), ("X4", "X6")]
    assert "has steps already" in run_here("replay", store, "s", other).error
    run_here("replay", store, "s", other, "--as", "t").quiet()
    assert pairs(other, "t") == pairs(other)
    del words["f"]
    smaller = built(tmp_path / "other", words, "smaller.duckdb")
    message = run_here("replay", store, "s", smaller).error
    assert "1 non-terminal(s) of session 's' are not in" in message
    assert "'f ||| F'" in message
    assert as_json("sessions", smaller) == []
    report = as_json("replay", store, "s", smaller, "--missing", "skip")
    assert report == {"session": "s", "steps": 3, "skipped": [2], "missing": ["f ||| F"]}
    assert pairs(smaller) == [("X4", "X5"), ("X1", "X2"), ("X3", "X5")]
    assert "these are one store" in run_here("replay", store, "s", store).error
    assert run_here("check", other).quiet()


EXISTING: dict[str, Callable[[Path], tuple[object, ...]]] = {
    "history": lambda store: ("history", store, "--session", "s"),
    "classes": lambda store: ("classes", store, "--session", "s"),
    "why": lambda store: ("why", store, "X1", "X2", "--session", "s"),
    "why-not": lambda store: ("why-not", store, "X1", "X2", "--session", "s"),
    "compare": lambda store: ("compare", store, "X1", "X2", "--session", "s"),
    "diff": lambda store: ("diff", store, "s", "s"),
    "undo": lambda store: ("undo", store, "--session", "s"),
    "redo": lambda store: ("redo", store, "--session", "s"),
    "branch": lambda store: ("branch", store, "t", "--session", "s"),
    "close": lambda store: ("sessions", store, "--close", "s"),
    "describe": lambda store: ("sessions", store, "--describe", "s", "words"),
    "rename": lambda store: ("sessions", store, "--rename", "s", "t"),
    "reopen": lambda store: ("sessions", store, "--reopen", "s"),
    "delete": lambda store: ("sessions", store, "--delete", "s"),
    "list": lambda store: ("constrain", store, "list", "--session", "s"),
    "drop": lambda store: ("constrain", store, "drop", "X1", "X2", "--session", "s"),
    "required": lambda store: ("merge", store, "--required", "--session", "s"),
    "replay": lambda store: ("replay", store, "s", store.with_name("other.duckdb")),
}
"""Commands on a session that must be there."""


def test_a_session_that_is_not_there(store: Path) -> None:
    shutil.copyfile(store, store.with_name("other.duckdb"))
    assert run_here("history", store, "--session", "s").error == "no session 's'"
    merge(store, "X1", "X2", "this").quiet()
    for command in EXISTING.values():
        assert run_here(*command(store)).error == "no session 's'; there are: this"
    assert [row["name"] for row in as_json("sessions", store)] == ["this"]


@pytest.mark.parametrize("name", ["", " s", "a\tb", "\udcff", "x" * 201])
def test_what_cannot_be_the_name_of_a_session(store: Path, name: str) -> None:
    for command in (
        ["merge", store, "X1", "X2", "--session", name],
        ["constrain", store, "must", "X1", "X2", "--session", name],
    ):
        assert "name of a session" in run_here(*command).error
    assert run_here("history", store, "--session", name).error == f"no session {name!r}"
    assert as_json("sessions", store) == []


@pytest.mark.parametrize("make", FOREIGN)
def test_what_is_no_store(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "x.duckdb"
    make(path)
    for name in ("history", "undo", "branch", "replay"):
        assert "not a grammar store" in run_here(*EXISTING[name](path)).error
    assert "not a grammar store" in merge(path, "X1", "X2").error
    assert names(tmp_path) == {"x.duckdb"}


def test_a_damaged_store_is_never_a_traceback(store: Path, tmp_path: Path) -> None:
    merge(store, "X1", "X2").quiet()
    (tmp_path / "damaged").mkdir()
    damaged = tmp_path / "damaged" / "x.duckdb"
    refused = 0
    for data in damages(store.read_bytes()).values():
        damaged.write_bytes(data)
        outcome = run_here("undo", damaged, "--session", "s")
        if outcome.code != 0:  # the damage may be where the command need not look
            assert outcome.error
            refused += 1
    assert refused > 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["merge", "X1", "--session", "s"], "name two non-terminals"),
        (["merge", "X1", "X2", "--session", "s", "--required"], "name two non-terminals"),
        (["merge", "--session", "s"], "name two non-terminals"),
        (["merge", "X1", "X2"], "Missing option '--session'"),
        (["constrain", "must", "X1", "--session", "s"], "name two non-terminals"),
        (["constrain", "list", "X1", "X2", "--session", "s"], "name two non-terminals"),
        (["constrain", "may", "X1", "X2", "--session", "s"], "'may' is not one of"),
        (["undo", "--session", "s", "-n", "2", "--step", "1"], "give -n or --step"),
        (["undo", "--session", "s", "--cascade"], "--cascade is for an earlier step"),
        (["undo", "--session", "s", "-n", "0"], "0 is not in the range"),
        (["sessions", "--close", "s", "--delete", "s"], "give one of"),
        (["compare", "X1", "X2", "--at", "1"], "--at is a step of a session"),
        (["why-not", "X1", "X2", "--at", "1"], "--at is a step of a session"),
        (["classes", "--session", "s", "--at", "-1"], "-1 is not in the range"),
    ],
)
def test_what_is_not_understood(store: Path, arguments: list[str], words: str) -> None:
    command, *rest = arguments
    message = run_here(command, store, *rest).error
    assert words in message
    assert message.endswith(f": see `grammar-store {command} --help`")


def test_progress_on_a_terminal(store: Path, tmp_path: Path) -> None:
    merge(store, "X1", "X2").quiet()
    other = Path(shutil.copyfile(store, tmp_path / "other.duckdb"))
    code, shown = on_a_terminal("replay", store, "s", other, "--as", "t")
    assert code == 0
    assert "replaying" in shown
    assert "t: 1 steps made" in without_colour(shown)


def test_k_medoids_from_the_command_line(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run_here("build", *gs.sample_files(), "--store", store).quiet()
    options = ["--method", "k-medoids", "--top", 60, "--clusters", 3]
    found = json.loads(run_here("merge", store, "--session", "k", *options, "--json").output)
    sizes = [row["members"] for row in found["classes"]]
    classes = json.loads(run_here("classes", store, "--session", "k", "--json").output)
    assert sorted(row["members"] for row in classes) == sorted(sizes)
    assert found["last_step"] == sum(sizes) - 3
    shown = run_here("merge", store, "--session", "again", *options).quiet().output.decode()
    assert re.search(rf"last step +{found['last_step']:,}\n", shown)
    assert found["classes"][0]["text"] in shown
    run_here("check", store).quiet()


def test_methods_refused_start_no_session(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run_here("build", *gs.sample_files(), "--store", store, "--prune", 0.01).quiet()
    for arguments, expect in (
        (["--method", "k-medoids"], "was pruned"),
        (["--method", "k-medoids", "--clusters", 0], "clusters"),
        (["X1", "X2", "--method", "k-medoids"], "alone"),
        (["X1", "X2", "--clusters", 2], "--clusters needs --method"),
    ):
        assert expect in run_here("merge", store, "--session", "k", *arguments).error
    assert json.loads(run_here("sessions", store, "--json").output) == []
