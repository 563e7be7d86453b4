"""Sessions held to a model in plain dicts and lists, over random histories."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sessions.killing import Models, killed
from sessions.model import (
    ModelSession,
    RefusedError,
    Step,
    merge_step,
    moved,
    promotion_step,
    split,
)
from sessions.stores import small_store

import grammar_store as gs
from grammar_store.errors import SessionError
from grammar_store.resources import sql, sql_names
from grammar_store.sessions.session import Session
from grammar_store.sessions.steps import Evidence, Merge, Promotion

IDS = range(1, 18)
MOST_SESSIONS = 6
STEPS = 250

# What can happen, and how often. One rule draws from it: rules of their own would each be left out
# of half of the histories, and hardly any would get far.
ACTIONS = {
    "merge": 6,
    "merge_leaders": 12,
    "batch": 5,
    "promote": 4,
    "undo": 5,
    "undo_any": 8,
    "redo": 9,
    "constrain": 4,
    "drop_constraint": 3,
    "merge_required": 2,
    "branch": 5,
    "start": 1,
    "close_or_reopen": 3,
    "delete": 2,
    "open_the_store_again": 1,
    "kill": 1,
    "read_all": 3,
    "as_of": 3,
    "diff": 3,
    "why": 3,
    "look_in_sql": 1,
}


class Sessions(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.store = gs.open(small_store(Path(self._folder.name) / "store.duckdb"))
        self.one_thread()
        counts = "SELECT nonterminal_id, count FROM nonterminal"
        self.counts: dict[int, int] = dict(self.store.sql(counts).fetchall())
        rules = "SELECT lhs_id, source, target, count FROM rule_text"
        self.rules = self.store.sql(rules).fetchall()
        self.models: Models = {}
        self.real: dict[str, Session] = {}
        self.started = 0
        self.chance = Random(0)

    def teardown(self) -> None:
        names = [name for name in sql_names("checks") if "session" in name]
        with self.store.database.cursor() as cursor:
            problems = [(name, cursor.execute(sql(name)).fetchall()) for name in names]
        self.store.close()
        self._folder.cleanup()
        assert [(name, found) for name, found in problems if found] == []

    def one_thread(self) -> None:
        """In so small a store more of them only wait for each other."""
        with self.store.database.cursor() as cursor:
            cursor.execute("SET threads = 1")

    @initialize()
    def first(self) -> None:
        self.start()

    @rule(
        action=st.sampled_from([name for name, often in ACTIONS.items() for _ in range(often)]),
        seed=st.integers(0, 2**32),
    )
    def act(self, action: str, seed: int) -> None:
        self.chance = Random(seed)
        self.act_out(action)

    def act_out(self, action: str) -> None:
        getattr(self, action)()

    @invariant()
    def same_classes(self) -> None:
        for name, model in self.models.items():
            real = self.real[name]
            assert real.step == len(model.steps)
            assert (real.status == "closed") == model.closed
            leaders = model.leaders()
            assert [real.leader(each) for each in IDS] == [leaders[each] for each in IDS]

    def chosen(self, names: list[str] | None = None) -> tuple[ModelSession, Session]:
        name = self.chance.choice(sorted(names or self.models))
        note(f"{name} at step {len(self.models[name].steps)}")
        return self.models[name], self.real[name]

    def pair(self) -> tuple[int, int]:
        a, b = sorted(self.chance.sample(IDS, 2))
        note(f"X{a} and X{b}")
        return a, b

    def step_of(self, model: ModelSession) -> int:
        return self.chance.randint(0, len(model.steps))

    def both(self, modelled: Callable[[], object], real: Callable[[], object]) -> bool:
        """Do it in the model and in the store; refused by both, or by neither."""
        try:
            modelled()
        except RefusedError:
            with pytest.raises(SessionError):
                real()
            return False
        real()
        return True

    def begin(self, model: ModelSession, start: Callable[[str], Session]) -> None:
        self.started += 1
        name = f"session {self.started}"
        self.models[name], self.real[name] = model, start(name)

    # Changes

    def start(self) -> None:
        if len(self.models) < MOST_SESSIONS:
            self.begin(ModelSession(self.counts), lambda name: self.store.session(name))

    def merge(self) -> None:
        (model, real), pair = self.chosen(), self.pair()
        self.both(lambda: model.merge(*pair), lambda: real.merge(*pair))

    def merge_leaders(self) -> None:
        """What an algorithm does: it chooses the leader, has evidence, and can force more."""
        model, real = self.chosen()
        leaders = sorted(model.classes())
        if len(leaders) > 1:
            low, high = self.chance.sample(leaders, 2)
            cause = self.step_of(model) if self.chance.random() < 0.4 else 0
            reason = "forced" if cause else "tested"
            evidence = random_evidence(self.chance)
            self.both(
                lambda: model.add([merge_step(low, high, reason, cause or None)]),
                lambda: real.apply([Merge(0, low, high, reason, cause or None, evidence)]),
            )

    def batch(self) -> None:
        """Some steps at once; if one is wrong, which happens, none is made."""
        model, real = self.chosen()
        leaders = sorted(model.classes())
        steps: list[Step] = []
        for _ in range(self.chance.randint(1, 5)):
            if len(leaders) > 1 and self.chance.random() < 0.7:
                low, high = self.chance.sample(leaders, 2)
                leaders.remove(low)
                steps.append(merge_step(low, high))
            else:
                steps.append(promotion_step(self.chance.choice(leaders)))
        if self.chance.random() < 0.2:
            steps.append(merge_step(*self.pair()))
        self.both(lambda: model.add(steps), lambda: real.apply([made(step) for step in steps]))

    def promote(self) -> None:
        model, real = self.chosen()
        x = self.chance.choice(IDS)
        leader = model.leaders()[x]
        self.both(lambda: model.add([promotion_step(leader)]), lambda: real.promote(x))

    def undo(self) -> None:
        model, real = self.chosen()
        n = self.chance.choice([1, 1, 2, 3, len(model.steps)])
        self.both(lambda: model.undo(n), lambda: real.undo(n))

    def undo_any(self) -> None:
        model, real = self.chosen()
        if model.steps:
            number = self.chance.randint(1, len(model.steps))
            found = [each.step for each in real.dependants(number)]
            assert found == model.dependants(number)
            cascade = self.chance.random() < 0.6
            self.both(
                lambda: model.undo_step(number, cascade),
                lambda: real.undo(step=number, cascade=cascade),
            )

    def redo(self) -> None:
        ready = [name for name, model in self.models.items() if model.undone]
        model, real = self.chosen(ready)
        n = self.chance.choice([1, 1, 2, max(1, len(model.undone))])
        self.both(lambda: model.redo(n), lambda: real.redo(n))

    def constrain(self) -> None:
        (model, real), pair = self.chosen(), self.pair()
        kind = self.chance.choice(["must", "cannot"])
        add = real.must if kind == "must" else real.cannot
        self.both(lambda: model.constrain(kind, *pair), lambda: add(*pair))

    def drop_constraint(self) -> None:
        model, real = self.chosen()
        if model.constraints and not model.closed:
            _, a, b = self.chance.choice(sorted(model.constraints))
            model.constraints -= {("must", a, b), ("cannot", a, b)}
            real.drop_constraint(b, a)

    def merge_required(self) -> None:
        model, real = self.chosen()
        self.both(model.merge_required, real.merge_required)

    def branch(self) -> None:
        if len(self.models) < MOST_SESSIONS:
            model, real = self.chosen()
            step = self.step_of(model)
            self.begin(model.branch(step), lambda name: real.branch(name, step))

    def close_or_reopen(self) -> None:
        model, real = self.chosen()
        closed = [name for name, each in self.models.items() if each.closed]
        if closed:
            self.models[closed[0]].closed = False
            self.real[closed[0]].reopen()
        elif model.pending():
            with pytest.raises(SessionError):
                real.close()
        else:
            real.close()
            model.closed = True

    def delete(self) -> None:
        if len(self.models) > 2:
            name = self.chance.choice(sorted(self.models))
            self.store.delete_session(name)
            del self.models[name], self.real[name]

    def open_the_store_again(self) -> None:
        self.store.close()
        self.one_thread()
        self.real = {name: self.store.session(name) for name in self.real}

    def kill(self) -> None:
        """Another process makes some changes, and is killed."""
        self.store.close()
        possible = killed(Path(self.store.path), self.models, self.chance, MOST_SESSIONS)
        self.one_thread()
        self.real = {name: self.store.session(name) for name in self.store.sessions()["name"]}
        found = {
            name: ([plain(step) for step in real], constraints_of(real), self.undone(name))
            for name, real in self.real.items()
        }
        states = [
            {name: (m.steps, m.constraints, len(m.undone)) for name, m in each.items()}
            for each in possible
        ]
        assert found in states
        self.models = possible[states.index(found)]

    def undone(self, name: str) -> int:
        """How often something can be done again."""
        query = (
            "SELECT max(entry) FROM undone_step JOIN session USING (session_id) WHERE name = $name"
        )
        ((entries,),) = self.store.sql(query, name=name).fetchall()
        return entries or 0

    # Looks

    def read_all(self) -> None:
        model, real = self.chosen()
        assert [plain(step) for step in real] == model.steps
        assert constraints_of(real) == model.constraints
        assert self.undone(real.name) == len(model.undone)
        held = real.constraints().itertuples(index=False)
        unmet = {(a, b) for _, a, b, met in held if not met}
        assert unmet == set(model.pending())
        for leader, members in model.classes().items():
            assert real.members(leader) == sorted(members)

    def as_of(self) -> None:
        model, real = self.chosen()
        step, x = self.step_of(model), self.chance.choice(IDS)
        state, leaders, classes = real.at(step), model.leaders(step), model.classes(step)
        assert state.leaders.tolist() == [0, *(leaders[each] for each in IDS)]
        assert state.members(x) == sorted(classes[leaders[x]])
        assert rows(real.classes(step)[["leader", "members", "count"]]) == {
            (leader, len(members), sum(self.counts[each] for each in members))
            for leader, members in classes.items()
        }

    def diff(self) -> None:
        (model, real), (model2, real2) = self.chosen(), self.chosen()
        at, at2 = self.step_of(model), self.step_of(model2)
        found = real.diff(real2, at, at2)
        first, second = model.classes(at), model2.classes(at2)
        three = ["leader", "part", "members"]
        assert rows(found.split[three]) == split(first, second)
        assert rows(found.joined[three]) == split(second, first)
        three = ["nonterminal_id", "left", "now"]
        assert rows(found.moved[three]) == moved(first, second, self.counts)
        assert found.equal == (sets(first) == sets(second))

    def why(self) -> None:
        (model, real), pair = self.chosen(), self.pair()
        joined = model.joined_at(*pair)
        query = "SELECT step FROM joined($name, $a, $b)"
        in_sql = self.store.sql(query, name=real.name, a=pair[0], b=pair[1]).fetchall()
        if joined is None:
            assert in_sql == []
            with pytest.raises(SessionError):
                real.why(*pair)
            return
        why = real.why(*pair)
        assert why.joined_at == joined
        assert in_sql == [(joined,)]
        # A way from the one to the other, which visits nobody twice.
        visited = [pair[0]]
        for step in why.steps:
            (following,) = {step.displaced, step.leader} - {visited[-1]}
            visited.append(following)
        assert visited[-1] == pair[1]
        assert len(set(visited)) == len(visited)

    def look_in_sql(self) -> None:
        ask = self.store.sql
        members: dict[str, dict[int, int]] = defaultdict(dict)
        for name, member, leader in ask("FROM class_member").fetchall():
            members[name][member] = leader
        assert members == {name: model.leaders() for name, model in self.models.items()}
        model, real = self.chosen()
        step = self.step_of(model)
        query = "FROM classes_at($name, $step)"
        found = dict(ask(query, name=real.name, step=step).fetchall())
        assert found == model.leaders(step)
        query = "SELECT * FROM merged_rule WHERE session = $name"
        merged = ask(query, name=real.name).fetchall()
        assert {row[1:4]: row[4] for row in merged} == pytest.approx(self.merged(model.leaders()))
        assert len(merged) == len({row[1:4] for row in merged})
        assert sum(row[4] for row in merged) == pytest.approx(sum(row[3] for row in self.rules))
        query = "SELECT nonterminal_id, leader_id FROM merge_tree($name)"
        assert ask(query, name=real.name).fetchall() == tree_order(model)
        listed = self.store.sessions().set_index("name").loc[real.name]
        merges = sum(each["kind"] == "merge" for each in model.steps)
        assert listed["steps"] == len(model.steps)
        assert listed["merges"] == merges
        assert listed["promotions"] == len(model.steps) - merges
        assert listed["classes"] == len(model.classes())

    def merged(self, leaders: dict[int, int]) -> dict[tuple[int, str, str], float]:
        """The rules with leaders for non-terminals, by their text."""

        def led(text: str) -> str:
            return re.sub(r"\[X(\d+),", lambda gap: f"[X{leaders[int(gap[1])]},", text)

        found: dict[tuple[int, str, str], float] = defaultdict(float)
        for lhs, source, target, count in self.rules:
            found[leaders[lhs], led(source), led(target)] += count
        return found


def random_evidence(chance: Random) -> Evidence | None:
    if chance.random() < 0.4:
        return None
    ids = [chance.choice(IDS) for _ in range(4)]
    numbers = [chance.choice([0.0, 1 / 3, chance.random(), 1e300, 5e-324]) for _ in range(6)]
    return Evidence(
        chance.randint(1, 3),
        *ids[:2],
        *(chance.choice([None, each]) for each in ids[2:]),
        *numbers,
        chance.choice([None, chance.random()]),
        chance.choice(["hoeffding", "fisher"]),
        chance.randint(0, 5),
    )


def tree_order(model: ModelSession) -> list[tuple[int, int]]:
    """By class; in a class the leader, then the others as they were displaced."""
    order = []
    gone = [each["displaced"] for each in model.steps]
    for leader, members in sorted(model.classes().items()):
        if len(members) > 1:
            order += [(leader, leader), *((each, leader) for each in gone if each in members)]
    return order


def made(step: Step) -> Merge | Promotion:
    if step["kind"] == "merge":
        return Merge(0, step["displaced"], step["leader"], step["reason"], step["cause"])
    return Promotion(0, step["leader"], step["reason"], step["cause"])


def plain(step: Merge | Promotion) -> Step:
    if isinstance(step, Merge):
        made = merge_step(step.displaced, step.leader, step.reason, step.cause)
    else:
        made = promotion_step(step.nonterminal, step.reason)
    return made | {"step": step.step}


def constraints_of(session: Session) -> set[tuple[Any, ...]]:
    return rows(session.constraints()[["kind", "first", "second"]])


def rows(frame: Any) -> set[tuple[Any, ...]]:
    found = [
        tuple(int(value) if isinstance(value, np.integer) else value for value in row)
        for row in frame.itertuples(index=False)
    ]
    assert len(set(found)) == len(found)
    return set(found)


def sets(classes: dict[int, set[int]]) -> set[frozenset[int]]:
    return {frozenset(members) for members in classes.values()}


def run(histories: int) -> None:
    """Go through so many histories, after an empty one and one that repeats the same step."""
    taken = Counter[str]()

    class Counted(Sessions):
        def act_out(self, action: str) -> None:
            taken[action] += 1
            super().act_out(action)

    run_state_machine_as_test(
        Counted,
        settings=settings(
            max_examples=histories + 2,
            stateful_step_count=STEPS + 1,  # the first is the start
            deadline=None,
            suppress_health_check=list(HealthCheck),
            print_blob=True,
        ),
    )
    print(dict(taken))
    assert taken.total() >= histories * STEPS
    assert set(taken) == set(ACTIONS)


@pytest.mark.parametrize("part", range(2))
def test_sessions_do_what_the_model_does(part: int) -> None:
    """Three thousand steps, in parts that can run beside each other."""
    run(6)


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_sessions_do_what_the_model_does_for_long(part: int) -> None:
    """A hundred thousand."""
    run(20)
