"""A process that changes sessions, held to the model, until it is killed."""

from __future__ import annotations

import json
import time
from copy import deepcopy
from pathlib import Path
from random import Random
from typing import Any

from forked import server
from sessions.model import ModelSession, RefusedError, promotion_step

Models = dict[str, ModelSession]
Change = tuple[str, str, list[Any], dict[str, Any]]

# Makes each change, says whether it was refused, and then waits, with the store open.
MAKES_CHANGES = """
import json, sys
import grammar_store as gs
from grammar_store.errors import SessionError
path, *changes = sys.argv[1:]
with gs.open(path) as store:
    for name, what, arguments, named in map(json.loads, changes):
        try:
            getattr(store.session(name), what)(*arguments, **named)
            print("made", flush=True)
        except SessionError:
            print("refused", flush=True)
    sys.stdin.read()
"""


def killed(path: Path, models: Models, chance: Random, most: int) -> list[Models]:
    """Have a process change the sessions of a store, of which there may be `most`, and kill it.

    What they may be now: with all changes that it acknowledged, or with one more.
    """
    states, changes, answers = [models], list[Change](), list[str]()
    for _ in range(chance.randint(1, 4)):
        states.append(deepcopy(states[-1]))
        change, made = _change(states[-1], chance, most)
        changes.append(change)
        answers.append("made\n" if made else "refused\n")
    with server().start(MAKES_CHANGES, path, *map(json.dumps, changes)) as process:
        heard = [process.stdout.readline() for _ in range(chance.randint(0, len(changes)))]
        time.sleep(chance.uniform(0, 0.03 if heard else 0.3))
        process.kill()
        assert process.wait() == -9, process.stderr.read()
        heard += [line for line in process.stdout if line.endswith("\n")]
        said = process.stderr.read()
    assert heard == answers[: len(heard)], f"{heard} and not {answers} to {changes}: {said}"
    return states[len(heard) : len(heard) + 2]


def _change(models: Models, chance: Random, most: int) -> tuple[Change, bool]:
    """Something to do to a session, done in the model; whether it was not refused."""
    name = chance.choice(sorted(models))
    model = models[name]
    a, b = sorted(chance.sample(sorted(model.counts), 2))
    step, number = chance.randint(0, len(model.steps)), chance.randint(1, 3)
    possible: list[tuple[Change, Any]] = [
        ((name, "merge", [a, b], {}), lambda: model.merge(a, b)),
        ((name, "promote", [a], {}), lambda: model.add([promotion_step(model.leaders()[a])])),
        ((name, "undo", [number], {}), lambda: model.undo(number)),
        ((name, "redo", [number], {}), lambda: model.redo(number)),
        ((name, "must", [a, b], {}), lambda: model.constrain("must", a, b)),
        ((name, "cannot", [a, b], {}), lambda: model.constrain("cannot", a, b)),
        ((name, "merge_required", [], {}), model.merge_required),
    ]
    if len(models) < most:
        new = f"branch {chance.random()}"
        change: Change = (name, "branch", [new, step], {})
        possible.append((change, lambda: _branch(models, model, new, step)))
    if step:
        change = (name, "undo", [], {"step": step, "cascade": True})
        possible.append((change, lambda: model.undo_step(step, cascade=True)))
    change, do = chance.choice(possible)
    try:
        do()
    except RefusedError:
        return change, False
    return change, True


def _branch(models: Models, model: ModelSession, new: str, step: int) -> None:
    if new in models:  # the same seed can be drawn twice
        raise RefusedError
    models[new] = model.branch(step)
