"""Two processes that write to one store at the same time: one wins, the other is told who did."""

from __future__ import annotations

import random
import time
from collections import Counter
from pathlib import Path

import pytest
from commands import COMMAND, run
from forked import Process, merges_of, server, small_store

import grammar_store as gs
from grammar_store.errors import StoreLockedError
from grammar_store.store.lock import WriterLock

# The program with a command of ours, which makes a step and keeps the store until it is told.
MERGES_AND_HOLDS = """
import sys
from pathlib import Path
import click
from grammar_store.cli import cli, main
from grammar_store.cli.stores import writing

@cli.command()
@click.argument("file", type=Path)
@click.argument("name")
def hold(file, name):
    with writing(file) as store:
        store.session("race").merge(name, "X1", leader="X1")
        click.echo("won")
        sys.stdout.flush()
        sys.stdin.readline()

sys.stdin.readline()
main(["hold", *sys.argv[1:]])
"""
COMMAND_LINE = """
import sys
from grammar_store.cli import main
sys.stdin.readline()
main(sys.argv[1:])
"""


def go(processes: list[Process], chance: random.Random) -> None:
    """Let two processes begin at about the same time."""
    chance.shuffle(processes)
    processes[0].tell("go")
    time.sleep(chance.choice([0, 0, chance.uniform(0, 0.15)]))
    processes[1].tell("go")


def race(store: Path, ids: tuple[int, int], chance: random.Random) -> int:
    """Have two processes merge one of two non-terminals each; the one that was merged."""
    with (
        server().start(MERGES_AND_HOLDS, store, f"X{ids[0]}") as first,
        server().start(MERGES_AND_HOLDS, store, f"X{ids[1]}") as second,
    ):
        go([first, second], chance)
        # The winner says so and waits, the loser ends.
        won = [each.stdout.readline() == "won\n" for each in (first, second)]
        assert any(won), (first.stderr.read(), second.stderr.read())
        assert not all(won)
        winner, loser = (first, second) if won[0] else (second, first)
        assert loser.wait() == 2
        said = loser.stderr.read()
        winner.tell("end")
        assert winner.wait() == 0, winner.stderr.read()
        assert said.startswith(f"error: {store} is ")
        assert f" by process {winner.pid} (" in said
        assert said.endswith(": wait until it is done, or stop it\n") or said.endswith(
            ": wait until it is done, or close it there\n"
        )
        assert said.count("\n") == 1
    return ids[won.index(True)]


def races(folder: Path, number: int) -> None:
    """Race after race on one store: it has the steps of all winners, and no other."""
    store = small_store(folder, 2 * number + 1)
    chance = random.Random(number)
    won: list[tuple[int, int]] = []
    for at in range(number):
        won.append((race(store, (2 * at + 2, 2 * at + 3), chance), 1))
        if at % 10 == 9:
            assert merges_of(store, "race") == won
    assert merges_of(store, "race") == won


def test_the_lock_comes_before_the_file(tmp_path: Path) -> None:
    """Whoever opened the file first, if only to look, could keep out the one that has the lock."""
    path = tmp_path / "x.duckdb"
    path.write_text("this would be noticed if it were looked at")
    with WriterLock(path), gs.open(path) as store, pytest.raises(StoreLockedError):
        store.sessions()


def test_some_races(tmp_path: Path) -> None:
    races(tmp_path, 6)


@pytest.mark.long
def test_two_hundred_races(tmp_path: Path) -> None:
    races(tmp_path, 200)


def commands_at_once(folder: Path, number: int) -> Counter[tuple[int, int]]:
    """Start two short commands at once: at least one gets through, a refused one does nothing."""
    store = small_store(folder, 2 * number + 1)
    chance = random.Random(number)
    done: set[int] = set()
    found: Counter[tuple[int, int]] = Counter()
    for at in range(number):
        ids = (2 * at + 2, 2 * at + 3)
        commands = [("merge", store, f"X{each}", "X1", "--session", "race") for each in ids]
        with (
            server().start(COMMAND_LINE, *commands[0]) as first,
            server().start(COMMAND_LINE, *commands[1]) as second,
        ):
            go([first, second], chance)
            codes = first.wait(), second.wait()
            said = first.stderr.read() + second.stderr.read()
        assert codes in {(0, 0), (0, 2), (2, 0)}, said
        assert said.count("\n") == codes.count(2)
        assert said.count(" by process ") == codes.count(2)
        found[codes] += 1
        done |= {each for each, code in zip(ids, codes, strict=True) if code == 0}
    assert {displaced for displaced, _ in merges_of(store, "race")} == done
    return found


def test_some_commands_at_once(tmp_path: Path) -> None:
    commands_at_once(tmp_path, 3)


@pytest.mark.long
def test_many_commands_at_once(tmp_path: Path) -> None:
    found = commands_at_once(tmp_path, 100)
    print(found)
    assert found[0, 2] + found[2, 0] > 10  # they did meet


def test_commands_name_the_holder(tmp_path: Path) -> None:
    store = small_store(tmp_path, 5)
    with server().start(MERGES_AND_HOLDS, store, "X2") as holder:
        holder.tell("go")
        assert holder.stdout.readline() == "won\n"
        message = run("merge", store, "X3", "X1", "--session", "race").error
        assert message.startswith(f"{store} is ")
        assert f" by process {holder.pid} ({COMMAND[0]} " in message
        for arguments in (
            ["undo", store, "--session", "race"],
            ["branch", store, "other", "--session", "race"],
            ["constrain", store, "cannot", "X3", "X1", "--session", "race"],
            ["sessions", store, "--delete", "race"],
            ["sessions", store],
            ["history", store, "--session", "race"],
            ["classes", store, "--session", "race"],
        ):
            with server().start(COMMAND_LINE, *arguments) as command:
                command.tell("go")
                assert command.wait() == 2
                assert command.stdout.read() == ""
                assert f" by process {holder.pid} ({COMMAND[0]} " in command.stderr.read()
        holder.tell("end")
    assert merges_of(store, "race") == [(2, 1)]
