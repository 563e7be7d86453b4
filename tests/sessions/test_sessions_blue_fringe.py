"""Blue-Fringe in sessions: budgets, constraints, hooks, evidence, sweeps."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sessions.stores import SENTENCES, build

import grammar_store as gs
from grammar_store.equivalence.reference import PlainGrammar
from grammar_store.errors import OptionError, PrunedError
from grammar_store.facade import Store
from grammar_store.merging.options import FringeOptions
from grammar_store.merging.reference import PlainFringe, PlainMerge
from grammar_store.sessions.running import FringeResult
from grammar_store.sessions.session import Session
from grammar_store.sessions.steps import Merge, Promotion

STRICT: dict[str, Any] = {
    "method": "blue-fringe",
    "alpha": 0.5,
    "leaves": "blue",
    "fisher_below": 1e9,
}
"""What promotes many: nearly every difference counts."""


@pytest.fixture(scope="module")
def repeated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seventeen non-terminals, some with two gaps a rule, so often seen that they differ."""
    path = tmp_path_factory.mktemp("repeated") / "store.duckdb"
    build(path, 30 * SENTENCES)
    return path


@pytest.fixture
def store(repeated: Path, tmp_path: Path) -> Iterator[Store]:
    """A copy of it for each test."""
    with gs.open(shutil.copyfile(repeated, tmp_path / "store.duckdb")) as store:
        yield store


@pytest.fixture
def sampled(sample: Path, tmp_path: Path) -> Iterator[Store]:
    """A store of the built-in sample of its own for each test."""
    with gs.open(shutil.copyfile(sample, tmp_path / "sample.duckdb")) as store:
        yield store


def ran(session: Session, **budget: Any) -> FringeResult:
    found = session.run(**budget)
    assert isinstance(found, FringeResult)
    return found


def plain_run(session: Session) -> list[tuple[int | None, int]]:
    """What the plain run makes after the merges that constraints demand."""
    given = session.parameters
    options = FringeOptions(**{key: value for key, value in given.items() if key != "classes"})
    database = session._journal.database
    texts = database.execute_file("queries/fringe_order")["place"].to_pylist()
    place = dict(enumerate(options.places(np.array([0, *texts], np.int32)).tolist()))
    with database.cursor() as cursor:
        grammar = PlainGrammar.of_store(cursor)
    fringe = PlainFringe(grammar, place, options, session._journal.constraints.cannot)
    for step in session:
        if step.reason == "must-merge":
            assert isinstance(step, Merge)
            fringe.replay(step.displaced, step.leader)
    return [
        (step.displaced, step.leader) if isinstance(step, PlainMerge) else (None, step.nonterminal)
        for step in fringe.run()
    ]


def decided(session: Session) -> list[tuple[int | None, int]]:
    return [
        (step.displaced, step.leader) if isinstance(step, Merge) else (None, step.nonterminal)
        for step in session
        if step.reason != "must-merge"
    ]


def test_steps_are_those_of_the_plain_run_on_stores(store: Store) -> None:
    """Rules with two gaps, and all that can be said of a run."""
    promoted = 0
    for at, fold in enumerate((False, True)):
        session = store.session(f"run {at}", **STRICT, fold=fold)
        found = ran(session)
        assert decided(session) == plain_run(session)
        steps = list(session)
        promotions = [step for step in steps if isinstance(step, Promotion)]
        assert (found.steps, found.promotions) == (len(steps), len(promotions))
        assert found.merges == len(steps) - len(promotions)
        assert found.classes == session.at().class_count == len(store) - found.merges
        assert (found.red, found.blue, found.white) == (found.classes, 0, 0)
        assert found.finished
        promoted += len(promotions)
    assert promoted > 5
    assert store.check() == []


def test_budgets_make_one_run(sampled: Store) -> None:
    whole = sampled.session("whole", **STRICT)
    found = ran(whole)
    assert found.promotions > 5
    pieces = sampled.session("pieces", **STRICT)
    for budget in (1, 2, 40, 0, 7):
        part = ran(pieces, steps=budget)
        assert (part.steps, part.finished) == (budget, False)
    assert pieces.step == 50
    assert ran(pieces).finished
    assert list(pieces) == list(whole)  # with their evidence
    again = ran(pieces)
    assert (again.steps, again.finished) == (0, True)
    by_time = sampled.session("by time", **STRICT)
    rounds = 0
    while not ran(by_time, steps=700).finished:
        assert ran(by_time, seconds=0).steps == 0
        rounds += 1
    assert rounds > 1
    assert list(by_time) == list(whole)
    hashes = sampled.sql(
        "SELECT list(DISTINCT last_hash) FROM session WHERE name IN ('whole', 'pieces', 'by time')"
    ).fetchall()
    assert len(hashes[0][0]) == 1  # of every step and its evidence, byte for byte
    assert sampled.check() == []


def test_constraints_are_met(store: Store) -> None:
    free = store.session("free", **STRICT)
    ran(free)
    leaders = free.at().leaders
    apart = next((a, b) for a in range(1, 18) for b in range(a + 1, 18) if leaders[a] != leaders[b])
    bound = store.session("bound", **STRICT)
    bound.must(*apart)
    together = next(
        (a, b)
        for a in range(1, 18)
        for b in range(a + 1, 18)
        if leaders[a] == leaders[b] and not {a, b} & set(apart)
    )
    bound.cannot(*together)
    ran(bound)
    assert bound.same(*apart)
    assert not bound.same(*together)
    assert next(iter(bound)).reason == "must-merge"
    assert decided(bound) == plain_run(bound)
    assert store.check() == []


def test_leaves_that_must_merge_on_the_sample(sampled: Store) -> None:
    """Two that are red from the start are not what the quick run begins with."""
    session = sampled.session("bound", method="blue-fringe")
    session.must("Haus ||| house", "Auto ||| car")
    session.cannot("Haus ||| house", "Kind ||| child")
    ran(session, steps=5)
    assert session.step == 6
    assert session.same("Haus ||| house", "Auto ||| car")
    assert not session.same("Haus ||| house", "Kind ||| child")


def test_stop_at_a_number_of_classes(sampled: Store) -> None:
    whole = sampled.session("whole", **STRICT)
    ran(whole)
    some = sampled.session("some", **STRICT, classes=len(sampled) - 20)
    found = ran(some)
    assert found.classes == some.at().class_count == len(sampled) - 20
    assert not found.finished
    assert list(some) == list(whole)[: some.step]
    assert ran(some).steps == 0


def test_own_score(store: Store) -> None:
    named = store.session("named", **STRICT, score="sum")
    ran(named)
    own = store.session("own", **STRICT, score="python")
    own.run(score=lambda red, blue: red + blue)
    assert decided(own) == decided(named)
    other = store.session("other", **STRICT, score="python")
    other.run(score=lambda red, blue: -red - blue)
    assert decided(other) != decided(named)
    with pytest.raises(OptionError, match="start the session with score='python'"):
        named.run(score=min)


def test_hooks_and_progress(sampled: Store) -> None:
    session = sampled.session("watched", **STRICT)
    steps: list[Merge | Promotion] = []
    states: list[FringeResult] = []
    session.on_merge(steps.append)
    session.on_promote(steps.append)
    session.run(steps=60, progress=states.append)
    session.run(progress=states.append)
    assert steps == list(session)
    assert [state.steps for state in states] == [60, session.step - 60]
    first, last = states
    assert first.merges + first.promotions == 60
    assert first.red + first.blue + first.white == first.classes
    assert first.blue > 0
    assert (last.blue, last.white) == (0, 0)
    assert last.pairs > last.tests > 0


def test_evidence_is_the_comparison_that_decided(sampled: Store) -> None:
    """As the verdict on the state before the step gives it."""
    session = sampled.session("judged", **STRICT)
    ran(session)
    steps = list(session)
    promotions = [step for step in steps if isinstance(step, Promotion)]
    merges = [step for step in steps if isinstance(step, Merge)]
    assert len(promotions) > 3
    for step in (*promotions[1:4], *merges[1::9][:3]):
        before = session.at(step.step - 1)
        said = step.evidence
        assert said is not None
        if isinstance(step, Merge):
            pair = step.leader, step.displaced
        else:
            pair = greatest_red(sampled, session, step.step), step.nonterminal
        verdict = before.compare(*pair, alpha=0.5, fisher_below=1e9)
        assert verdict.equivalent == isinstance(step, Merge)
        rows = verdict.comparisons
        rows = rows[rows["depth"] == 0] if verdict.equivalent else rows[~rows["equal"]]
        rows = rows[rows["depth"] == rows["depth"].min()]
        assert said.depth == rows["depth"].min()
        assert said.d == pytest.approx(rows["d"].max(), rel=1e-6)
        same = rows[
            (rows["context_id"] == said.context_id)
            & (rows["first_id"] == said.filler1_id)
            & (rows["second_id"] == said.filler2_id)
        ].to_dict("records")
        assert len(same) == 1
        for name in ("c1", "big_c1", "c2", "big_c2", "d", "bound"):
            assert getattr(said, name) == pytest.approx(same[0][name], rel=1e-9), name
        assert said.test == same[0]["test"] == "fisher"
        assert said.p_value == pytest.approx(same[0]["p_value"], rel=1e-6)
        assert (said.p_value < 0.5) == isinstance(step, Promotion)


def greatest_red(store: Store, session: Session, step: int) -> int:
    """The red class of greatest count just before a step, found by counting."""
    rows = store.sql("SELECT nonterminal_id, count, height, source, target FROM nonterminal")
    counts, texts, leaves = {}, {}, []
    for x, count, height, source, target in rows.fetchall():
        counts[x], texts[x] = count, (source, target)
        if height == 0:
            leaves.append(x)
    red = {min(leaves, key=lambda x: (-counts[x], texts[x]))}
    for made in list(session)[: step - 1]:
        if isinstance(made, Merge):
            counts[made.leader] += counts[made.displaced]
        else:
            red.add(made.nonterminal)
    return min(red, key=lambda x: (-counts[x], texts[x]))


def test_sweep_is_single_runs(sampled: Store) -> None:
    settings = [{"alpha": alpha, "leaves": "blue"} for alpha in (0.5, 0.01)]
    done: list[int] = []
    table = sampled.sweep("blue-fringe", settings, "all ", done.append)
    assert done == [0, 1, 2]
    for setting, row in zip(settings, table.to_dict("records"), strict=True):
        single = sampled.session(f"single {setting['alpha']}", method="blue-fringe", **setting)
        found = ran(single)
        swept = sampled.session(row["session"])
        assert row["session"] == f"all blue-fringe alpha={setting['alpha']} leaves=blue"
        assert list(swept) == list(single)
        assert row["final non-terminals"] == found.classes
        assert row["promotions"] == found.promotions
    finals = table["final non-terminals"].tolist()
    assert finals[0] > finals[1]
    # What is there already is left as it is.
    again = sampled.sweep("blue-fringe", settings, "all ")
    assert again["final non-terminals"].tolist() == finals


def test_what_is_refused(tmp_path: Path, store: Store) -> None:
    for wrong, message in (
        ({"alpha": 0}, "alpha"),
        ({"alpha": 1.5}, "alpha"),
        ({"fisher_below": -1}, "fisher_below"),
        ({"score": "best"}, "score"),
        ({"ties": "first"}, "ties"),
        ({"leaves": "green"}, "leaves"),
        ({"classes": -1}, "classes"),
        ({"clusters": 2}, "no parameter 'clusters'"),
    ):
        with pytest.raises(OptionError, match=message):
            store.session("wrong", method="blue-fringe", **wrong)
    assert "wrong" not in set(store.sessions()["name"])
    pruned = gs.open(tmp_path / "pruned.duckdb")
    pruned.build(*gs.sample_files(), prune=0.01)
    with pruned, pytest.raises(PrunedError):
        pruned.session("fringe", method="blue-fringe").run()
