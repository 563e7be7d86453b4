"""Disks that fail, or are full, at any write of a session: one line, and no step is lost."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterable
from itertools import count, pairwise
from pathlib import Path
from typing import NamedTuple

import pytest
from forked import merges_of, server, small_store
from tracing import needs_strace, traced

import grammar_store as gs

STEPS = 200
ERRORS = ("EIO", "ENOSPC")

# The program with a command of ours: every step merges the next non-terminal into X1. After an
# error it says where the session is, and ends, or goes on as often as it takes; if that fails as
# well, from a store that is opened again. One thread, so that the n-th write is always the same.
MAKES_STEPS = """
import sys
from pathlib import Path
import click
from grammar_store.cli import cli, main
from grammar_store.cli.stores import writing
from grammar_store.errors import StoreError

def say(*words):
    print(*words, flush=True)

def make(file, end, goes_on):
    with writing(file) as store:
        store.database.cursor().execute("SET threads = 1")
        session = store.session("faulty")
        say("at", session.step)
        while session.step < end:
            try:
                say("done", session.merge(session.step + 2, 1, leader=1).step)
            except StoreError:
                say("at", session.step)
                if not goes_on:
                    raise
            if session.step % 50 == 0:
                store.database.checkpoint()

@cli.command()
@click.argument("file", type=Path)
@click.argument("end", type=int)
@click.option("--goes-on", is_flag=True)
def steps(file, end, goes_on):
    for _ in range(end if goes_on else 0):
        try:
            return make(file, end, goes_on)
        except StoreError:
            continue
    make(file, end, goes_on)

sys.stdin.readline()
main(["steps", *sys.argv[1:]])
"""
COMMAND_LINE = """
import sys
from grammar_store.cli import main
sys.stdin.readline()
main(sys.argv[1:])
"""


class Fault(NamedTuple):
    """What goes wrong: a system call, its error, and which call it is (``3+``: all from there)."""

    call: str
    error: str
    when: str


class NoSuchCallError(Exception):
    """There were fewer calls."""


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_store(tmp_path_factory.mktemp("original"), STEPS + 10)


def run_with(fault: Fault, store: Path, program: str, *arguments: object) -> tuple[int, list[str]]:
    """The exit code and the lines that a program says."""
    trace = store.with_name("trace")
    injection = f"{fault.call}:error={fault.error}:when={fault.when}"
    files = store, store.with_name(f"{store.name}.wal")
    with (
        server().start(program, *arguments) as process,
        traced(process, injection, trace, *files),
    ):
        process.tell("go")
        said, errors, code = process.stdout.read(), process.stderr.read(), process.wait()
    assert code in (0, 2), errors
    if "(INJECTED)" not in trace.read_text():
        raise NoSuchCallError
    if code == 0:
        assert errors == ""
    else:
        assert errors.startswith("error: ")
        assert str(store) in errors
        assert errors.count("\n") == 1, errors
    return code, said.splitlines()


def copied(original: Path, folder: Path) -> Path:
    store = folder / "x.duckdb"
    store.with_name("x.duckdb.wal").unlink(missing_ok=True)
    shutil.copyfile(original, store)
    return store


def require_usable(store: Path, merges: list[tuple[int, int]]) -> None:
    """On a disk in order a session can be gone on with."""
    with gs.open(store) as opened:
        opened.session("faulty").merge(STEPS + 5, 1)
    with gs.open(store, read_only=True) as opened:
        steps = list(opened.session("faulty"))
    assert [(step.displaced, step.leader) for step in steps] == [*merges, (STEPS + 5, 1)]


def heard(said: list[str], merges: list[tuple[int, int]]) -> int:
    """The last step that was acknowledged; what was made has all of them, and at most one more."""
    told = [0, *(int(line.split()[-1]) for line in said)]
    # After an error it is what was there before, or one more, too.
    assert all(low <= high <= low + 1 for low, high in pairwise(told))
    assert merges == [(step + 1, 1) for step in range(1, len(merges) + 1)]
    assert told[-1] <= len(merges) <= told[-1] + 1
    return told[-1]


def fail(original: Path, folder: Path, fault: Fault) -> str:
    """Run a session with a fault; what became of it."""
    store = copied(original, folder)
    code, said = run_with(fault, store, MAKES_STEPS, store, STEPS)
    merges = merges_of(store, "faulty")
    last = heard(said, merges)
    require_usable(store, merges)
    if code == 0:
        assert last == len(merges) == STEPS
        return "noticed nothing"
    return "ended" if last == len(merges) else "ended with one more step"


def fail_again_and_again(original: Path, folder: Path, fault: Fault, steps: int = STEPS) -> int:
    """Run a session to its end in spite of all faults; how often it looked where it was."""
    store = copied(original, folder)
    code, said = run_with(fault, store, MAKES_STEPS, "--goes-on", store, steps)
    assert code == 0
    assert heard(said, merges_of(store, "faulty")) == steps
    return sum(line.startswith("at") for line in said)


def fail_command(original: Path, folder: Path, fault: Fault) -> str:
    """Run a command of one step with a fault; what became of it."""
    store = copied(original, folder)
    command = ["merge", store, "X2", "X1", "--session", "faulty"]
    code, said = run_with(fault, store, COMMAND_LINE, *command)
    merges = merges_of(store, "faulty")
    assert merges in ([], [(2, 1)])
    require_usable(store, merges)
    if code == 0:
        assert merges
        assert len(said) == 1
        return "done"
    return "refused, but done" if merges else "refused"


@needs_strace
@pytest.mark.parametrize(
    "fault",
    [
        Fault("write", "EIO", "1"),
        Fault("write", "ENOSPC", "20+"),
        Fault("fdatasync", "EIO", "12"),
        Fault("pwrite64", "ENOSPC", "2"),
    ],
    ids="-".join,
)
def test_some_faults(original: Path, tmp_path: Path, fault: Fault) -> None:
    assert fail(original, tmp_path, fault) == "ended"


@needs_strace
@pytest.mark.parametrize(
    "fault", [Fault("write", "ENOSPC", "1+"), Fault("fdatasync", "EIO", "1+")], ids="-".join
)
def test_some_faults_of_a_command(original: Path, tmp_path: Path, fault: Fault) -> None:
    assert fail_command(original, tmp_path, fault) == "refused"


@needs_strace
def test_a_fault_every_few_writes(original: Path, tmp_path: Path) -> None:
    assert fail_again_and_again(original, tmp_path, Fault("write", "ENOSPC", "5+15"), 60) > 4


EVERY = 10


@needs_strace
@pytest.mark.long
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ["write", "fdatasync"])
def test_a_fault_at_every_write_to_the_log(
    original: Path, tmp_path: Path, call: str, error: str
) -> None:
    """Every tenth write fails, beginning with the first, with the second, and so on."""
    for first in range(1, EVERY + 1):
        fault = Fault(call, error, f"{first}+{EVERY}")
        assert fail_again_and_again(original, tmp_path, fault) > STEPS // EVERY


def outcomes(attempts: Iterable[str]) -> Counter[str]:
    """What became of all attempts, until there are no more calls to fail."""
    found: Counter[str] = Counter()
    try:
        for each in attempts:
            found[each] += 1
    except NoSuchCallError:
        print(dict(found))
    return found


@needs_strace
@pytest.mark.long
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ["pwrite64", "ftruncate"])
def test_a_fault_at_every_write_to_the_file(
    original: Path, tmp_path: Path, call: str, error: str
) -> None:
    faults = (Fault(call, error, str(when)) for when in count(1))
    found = outcomes(fail(original, tmp_path, fault) for fault in faults)
    assert found["ended"] > 0


@needs_strace
@pytest.mark.long
@pytest.mark.parametrize("stays", ["", "+"])
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ["write", "fdatasync"])
def test_the_end_after_a_fault(
    original: Path, tmp_path: Path, call: str, error: str, stays: str
) -> None:
    between = 25
    faults = (Fault(call, error, f"{when}{stays}") for when in count(1, between))
    found = outcomes(fail(original, tmp_path, fault) for fault in faults)
    assert found.total() >= STEPS // between
    assert found["ended"] > 0


@needs_strace
@pytest.mark.long
@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("call", ["write", "fdatasync", "pwrite64"])
def test_a_fault_at_every_write_of_a_command(
    original: Path, tmp_path: Path, call: str, error: str
) -> None:
    faults = (Fault(call, error, str(when)) for when in count(1))
    found = outcomes(fail_command(original, tmp_path, fault) for fault in faults)
    assert found.total() >= 2
