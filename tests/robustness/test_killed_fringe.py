"""Blue-Fringe that is killed at any moment and run again ends as one that was left alone."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from forked import server

import grammar_store as gs
from grammar_store.planted import read_planted, write_sample
from grammar_store.sessions.steps import Step

SETTING = {"method": "blue-fringe", "alpha": 0.1, "leaves": "blue"}

# Says how far it is after every transaction, at once or after a while.
RUNS = """
import sys, time
import grammar_store as gs
path, size, pause = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
with gs.open(path) as store:
    session = store.session("killed", method="blue-fringe", alpha=0.1, leaves="blue")
    print(session.step, flush=True)
    while not session.run(steps=size).finished:
        time.sleep(pause)
        print(session.step, flush=True)
    print("finished", flush=True)
"""


def planted_store(folder: Path, sentences: int) -> Path:
    """A store on which Blue-Fringe makes some hundred steps and more."""
    write_sample(read_planted("verbs"), sentences, 3, folder / "sampled")
    store = folder / "planted.duckdb"
    files = [folder / "sampled" / name for name in ("source", "target", "alignment")]
    with gs.open(store) as opened:
        opened.build(*files)
    return store


def alone(store: Path) -> tuple[list[Step], list[int]]:
    """The steps and the classes of a run that nobody disturbs."""
    whole = shutil.copyfile(store, store.with_name("whole.duckdb"))
    with gs.open(whole) as opened:
        session = opened.session("killed", **SETTING)
        session.run()
        return list(session), session.at().leaders.tolist()


def kill_fringes(store: Path, kills: int) -> Counter[str]:
    """Kill runs, each going on from what was left, until there were enough; look at each end."""
    expected, leaders = alone(store)
    assert any(type(step).__name__ == "Promotion" for step in expected)
    chance = random.Random(kills)
    found: Counter[str] = Counter()
    path = store.with_name("killed.duckdb")
    while found["kills"] < kills:
        if not path.exists():
            shutil.copyfile(store, path)
        size = chance.choice([1, 3, 10, len(expected) // 7])
        # Some wait, so that kills fall between a transaction and its being told.
        pause = chance.choice([0, 0, 0.05])
        with server().start(RUNS, path, size, pause) as process:
            # Wait for some transactions, or none, and then for a part of the next.
            awaited = chance.choice([0, 1, 1, 2, 4])
            said = [process.stdout.readline() for _ in range(awaited)]
            assert "" not in said or "finished\n" in said, process.stderr.read()
            time.sleep(chance.uniform(0, 0.05 if awaited else 0.5))
            process.kill()
            found["kills"] += process.wait() == -9
            said += [line for line in process.stdout if line.endswith("\n")]
        acknowledged = max((int(line) for line in said if line != "finished\n"), default=0)
        with gs.open(path) as opened:
            assert opened.check() == []
            session = opened.session("killed", **SETTING)
            steps = list(session)
            assert steps == expected[: len(steps)]
            assert len(steps) >= acknowledged
            found["written, not acknowledged"] += len(steps) > acknowledged
            found["in the midst"] += 0 < len(steps) < len(expected)
            # Now and then it goes on here to the end, and a new one begins.
            if len(steps) == len(expected) or chance.random() < 0.3 or found["kills"] == kills:
                session.run()
                assert list(session) == expected
                assert session.at().leaders.tolist() == leaders
                found["ends"] += 1
                ended = True
            else:
                ended = False
        if ended:
            path.unlink()
    print(dict(found))
    return found


def test_kill_blue_fringe_some_times(tmp_path: Path) -> None:
    found = kill_fringes(planted_store(tmp_path, 60), 5)
    assert found["ends"] >= 1
    assert found["in the midst"] >= 1


@pytest.mark.long
def test_kill_blue_fringe_a_hundred_times(tmp_path: Path) -> None:
    found = kill_fringes(planted_store(tmp_path, 400), 100)
    assert found["ends"] >= 10
    assert found["in the midst"] >= 50
    assert found["written, not acknowledged"] >= 1
