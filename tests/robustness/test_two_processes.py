"""Two processes at one store: one writes at a time, the other is told who, and nothing is lost."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest
from commands import (
    ENVIRONMENT,
    TABLE_1,
    digest,
    names,
    run,
    run_here,
    start_build,
    write_bitext,
    write_large_bitext,
)

import grammar_store as gs

# Each says "ready" when it has opened the store, and goes on when it is given a line.
WRITES_AS_WE_DO = """
import sys, grammar_store as gs
with gs.open(sys.argv[1]) as store, store.database.transaction() as connection:
    connection.exec_driver_sql("CREATE TABLE mine AS SELECT 42 AS answer")
    print("ready", flush=True)
    sys.stdin.readline()
"""
WRITES_WITH_ANOTHER_CLIENT = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
connection.execute("CREATE TABLE mine AS SELECT 42 AS answer")
print("ready", flush=True)
sys.stdin.readline()
"""
READS = """
import sys, grammar_store as gs
with gs.open(sys.argv[1], read_only=True) as store:
    before = len(store)
    print("ready", flush=True)
    sys.stdin.readline()
    print(before, store.sql("SELECT count(*) FROM nonterminal").fetchall()[0][0], flush=True)
"""
OPENS_AND_WRITES_LATER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
connection.execute("CREATE TABLE mine AS SELECT 42 AS answer")
connection.close()
"""


@contextmanager
def other(program: str, store: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has opened the store; ended with the block."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(store)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=ENVIRONMENT, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "ready\n"
        yield process
        if process.poll() is None:
            process.communicate("\n", timeout=60)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "x.duckdb"
    run_here("build", *write_bitext(tmp_path), "--store", path).quiet()
    return path


def answer(store: Path) -> object:
    with gs.open(store, read_only=True) as opened:
        return opened.sql("SELECT answer FROM mine").fetchall()


@pytest.mark.parametrize("program", [WRITES_AS_WE_DO, WRITES_WITH_ANOTHER_CLIENT])
def test_building_while_another_process_writes(store: Path, tmp_path: Path, program: str) -> None:
    arguments = ("build", *write_bitext(tmp_path), "--store", store)
    with other(program, store) as process:
        for outcome in (run(*arguments), run(*arguments, "--force"), run("check", store)):
            message = outcome.error
            assert message.startswith(f"{store} is ")
            assert f"process {process.pid} (" in message
            assert "wait until it is done" in message
        assert names(tmp_path) <= {*TABLE_1, "x.duckdb", "x.duckdb.wal", "x.duckdb.lock"}
    # What the other wrote is there.
    assert answer(store) == [(42,)]
    run_here(*arguments).quiet()
    assert names(tmp_path) == {*TABLE_1, "x.duckdb"}


def test_building_while_another_process_reads(store: Path, tmp_path: Path) -> None:
    """The new store takes the old one's place; who reads the old one goes on reading it."""
    with other(READS, store) as process:
        outcome = run("build", *write_bitext(tmp_path), "--store", store, "--max-length", 1)
        assert outcome.code == 0
        said, _ = process.communicate("\n", timeout=60)
    assert said == "7 7\n"
    with gs.open(store, read_only=True) as opened:
        assert len(opened) == 3
    run_here("check", store).quiet()


def test_reading_by_two_processes(store: Path) -> None:
    before = digest(store)
    with other(READS, store):
        for arguments in (["info", store], ["rules", store], ["check", store]):
            run(*arguments).quiet()
    assert digest(store) == before


def test_two_builds_at_once(tmp_path: Path) -> None:
    (tmp_path / "large").mkdir()
    files = write_large_bitext(tmp_path / "large", 2000)
    store = tmp_path / "x.duckdb"
    first = start_build(files, store)
    second = run("build", *files, "--store", store)
    assert first.poll() is None, "the first was done too early for this test"
    assert f"x.duckdb is being written by process {first.pid} (" in second.error
    _, said = first.communicate(timeout=300)
    assert (first.returncode, said) == (0, "")
    run_here("check", store).quiet()
    assert names(tmp_path) == {"large", "x.duckdb"}


def test_many_builds_at_once(tmp_path: Path) -> None:
    files = write_bitext(tmp_path)
    store = tmp_path / "x.duckdb"
    processes = [start_build(files, store) for _ in range(4)]
    outcomes = [(process.communicate(timeout=300)[1], process.returncode) for process in processes]
    assert 0 in [code for _, code in outcomes]
    for said, code in outcomes:
        assert (said, code) == ("", 0) or (code == 2 and "is being written by process" in said)
    run_here("check", store).quiet()
    assert names(tmp_path) == {*TABLE_1, "x.duckdb"}


def test_another_client_that_opens_the_store_during_a_build(store: Path, tmp_path: Path) -> None:
    """It is kept out, or the build is refused in the end: its rows must not vanish."""
    (tmp_path / "large").mkdir()
    files = write_large_bitext(tmp_path / "large", 2000)
    build = start_build(files, store)
    while not store.with_name("x.duckdb.building").exists():
        time.sleep(0.002)
    time.sleep(0.1)
    late = subprocess.Popen(
        [sys.executable, "-c", OPENS_AND_WRITES_LATER, str(store)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert late.stdout is not None
    opened = late.stdout.readline() == "ready\n"
    built = build.wait(timeout=300) == 0
    build.communicate()
    late.communicate("\n", timeout=60)
    assert opened or built
    if opened and late.returncode == 0:
        assert answer(store) == [(42,)]
    run_here("check", store).quiet()
    assert not os.path.exists(f"{store}.wal")


def test_a_lock_left_by_a_dead_process_locks_nothing(store: Path, tmp_path: Path) -> None:
    with other(WRITES_AS_WE_DO, store) as process:
        process.kill()
        process.wait()
    assert "x.duckdb.lock" in names(tmp_path)
    run("check", store).quiet()
    run("build", *write_bitext(tmp_path), "--store", store).quiet()
    assert names(tmp_path) == {*TABLE_1, "x.duckdb"}


def test_rows_of_a_killed_writer_stay(store: Path) -> None:
    """They may be in the log beside the file only; reading and building must mind it."""
    with other(WRITES_WITH_ANOTHER_CLIENT, store) as process:
        process.kill()
        process.wait()
    assert store.with_name("x.duckdb.wal").exists()
    assert answer(store) == [(42,)]
    with duckdb.connect(str(store), read_only=True) as connection:
        assert connection.execute("SELECT answer FROM mine").fetchall() == [(42,)]
