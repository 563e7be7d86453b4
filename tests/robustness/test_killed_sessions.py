"""A session that is killed at any moment has every step that was acknowledged, and is sound."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from pathlib import Path

import pytest
from forked import Process, merges_of, server, small_store

# Says what it is about to do, does it, and then says that it is done. It closes the store, which
# brings everything into the file, and opens it again every few changes.
WRITES_STEPS = """
import json, random, sys
import grammar_store as gs
from grammar_store.sessions.steps import Merge
path, name, seed = sys.argv[1:]
chance = random.Random(seed)
def say(*what):
    print(json.dumps(what), flush=True)
while True:
    with gs.open(path) as store:
        session = store.session(name)
        for _ in range(chance.randint(1, 6)):
            if session.step > chance.randint(1, 250):
                number = chance.randint(1, session.step)
                say("undo", number)
                session.undo(number)
            else:
                leaders = sorted(set(session.at().leaders.tolist()) - {0})
                chance.shuffle(leaders)
                batch = [leaders[i : i + 2] for i in range(0, 2 * chance.choice([1, 1, 5]), 2)]
                say("merge", batch)
                session.apply([Merge(0, *pair, "manual") for pair in batch])
            say("done")
"""

Merges = list[tuple[int, int]]


class Witness:
    """What is known of a session from what its process said."""

    def __init__(self, merges: Merges) -> None:
        self.acknowledged = merges
        self.begun: Merges | None = None
        self.changes = 0

    def hear(self, line: str) -> None:
        what, *value = json.loads(line)
        if what == "done":
            assert self.begun is not None
            self.acknowledged, self.begun = self.begun, None
            self.changes += 1
        elif what == "undo":
            self.begun = self.acknowledged[: -value[0]]
        else:
            self.begun = self.acknowledged + [(low, high) for low, high in value[0]]

    def listen(self, process: Process, changes: int) -> None:
        """Until so many changes were acknowledged."""
        while self.changes < changes:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            self.hear(line)


def kill_sessions(folder: Path, number: int) -> Counter[str]:
    """Kill a session many times, each time going on from what was left."""
    store = small_store(folder)
    chance = random.Random(number)
    found: Counter[str] = Counter()
    merges: Merges = []
    for _ in range(number):
        witness = Witness(merges)
        with server().start(WRITES_STEPS, store, "killed", chance.random()) as process:
            # Now and then while it opens the store, else around one of its changes.
            awaited = chance.choice([0, chance.randint(1, 8)])
            witness.listen(process, awaited)
            time.sleep(chance.uniform(0, 0.04 if awaited else 0.4))
            process.kill()
            assert process.wait() == -9, process.stderr.read()
            for line in process.stdout:
                if line.endswith("\n"):  # the last may be cut
                    witness.hear(line)
        merges = merges_of(store, "killed")
        if merges != witness.acknowledged:
            assert merges == witness.begun
            found["written, not acknowledged"] += 1
        elif witness.begun is not None:
            found["neither written nor acknowledged"] += 1
        else:
            found["between two changes"] += 1
        found["acknowledged changes"] += witness.changes
        found["with a log left"] += store.with_name(f"{store.name}.wal").exists()
    print(dict(found))
    return found


def test_kill_some_sessions(tmp_path: Path) -> None:
    found = kill_sessions(tmp_path, 10)
    assert found["acknowledged changes"] > 10
    assert found["with a log left"] > 0


@pytest.mark.long
def test_kill_a_thousand_sessions(tmp_path: Path) -> None:
    found = kill_sessions(tmp_path, 1000)
    assert found["acknowledged changes"] > 1000
    # The moments were spread well enough to hit the writing itself.
    assert found["written, not acknowledged"] > 10
    assert found["neither written nor acknowledged"] > 10
