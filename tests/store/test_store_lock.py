from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sql_cases.hand_made import make_store

from grammar_store.errors import StoreError, StoreLockedError
from grammar_store.store.database import Database
from grammar_store.store.lock import WriterLock, holder

WRITER = """
import sys
from grammar_store.store.database import Database
database = Database(sys.argv[1], read_only=sys.argv[2] == "reader")
print("open", flush=True)
sys.stdin.readline()
database.close()
"""


@contextmanager
def other_process(path: Path, role: str = "writer") -> Iterator[subprocess.Popen[str]]:
    """Another process that has the store open; it closes it when told to."""
    import grammar_store

    root = Path(grammar_store.__file__).parents[1]
    program = path.parent / "program.py"
    program.write_text(WRITER, encoding="utf-8")
    process = subprocess.Popen(
        [sys.executable, str(program), str(path), role],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        try:
            yield process
        finally:
            process.kill()


def shown(command: str) -> str:
    return command if len(command) <= 200 else command[:200] + "..."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_store(tmp_path / "g.duckdb")


def test_a_second_writer_is_told_who_writes(path: Path) -> None:
    with other_process(path) as process:
        with pytest.raises(StoreLockedError) as error:
            Database(path)
        command = f"{sys.executable} {path.parent}/program.py {path} writer"
        assert str(error.value) == (
            f"{path} is being written by process {process.pid} ({shown(command)}):"
            " wait until it is done, or stop it"
        )


def test_a_reader_is_told_who_writes(path: Path) -> None:
    with other_process(path) as process:
        with pytest.raises(StoreLockedError, match=rf"in use by process {process.pid} \(") as error:
            Database(path, read_only=True)
        # the command, from the writer's own lock, says more than the program alone
        assert "program.py" in str(error.value).partition("in use by")[2]


def test_a_writer_is_told_who_reads(path: Path) -> None:
    with (
        other_process(path, "reader") as process,
        pytest.raises(StoreLockedError, match=rf"in use by process {process.pid} \("),
    ):
        Database(path)
    assert not Path(f"{path}.lock").exists()


def test_readers_share(path: Path) -> None:
    with other_process(path, "reader"), Database(path, read_only=True) as database:
        assert database.cursor().execute("SELECT count(*) FROM rule").fetchall() == [(18,)]


def test_a_killed_writer_frees_the_store(path: Path) -> None:
    with other_process(path) as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert Path(f"{path}.lock").exists()
        with Database(path) as database:
            assert database.cursor().execute("SELECT count(*) FROM rule").fetchall() == [(18,)]


def test_closing_frees_the_store(path: Path) -> None:
    with other_process(path) as process:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        process.wait()
        Database(path).close()
    assert not Path(f"{path}.lock").exists()


def test_one_writer_in_a_process_too(path: Path) -> None:
    with (
        Database(path),
        pytest.raises(StoreLockedError, match=rf"process {os.getpid()} \("),
    ):
        Database(path)
    Database(path).close()


def test_a_stale_lock_file_is_harmless(path: Path) -> None:
    Path(f"{path}.lock").write_text("999999\nlong gone\n", encoding="utf-8")
    with WriterLock(path):
        assert holder(path).startswith(f"process {os.getpid()} (")
    assert not Path(f"{path}.lock").exists()


def test_a_link_is_the_same_store(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(path)
    with WriterLock(path), pytest.raises(StoreLockedError):
        WriterLock(link)


def test_a_lock_removed_while_waiting_is_not_taken_for_the_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last holder removes the file: who opened it before that must not believe in it."""
    import fcntl

    flock = fcntl.flock
    removed: list[int] = []

    def slow_flock(descriptor: int, flags: int) -> None:
        if not removed:
            removed.append(descriptor)
            Path(f"{path}.lock").unlink()
        flock(descriptor, flags)

    monkeypatch.setattr(fcntl, "flock", slow_flock)
    with WriterLock(path):
        assert removed
        assert Path(f"{path}.lock").exists()
        with pytest.raises(StoreLockedError):
            WriterLock(path)


def test_release_twice_frees_nobody_elses_lock(path: Path) -> None:
    first = WriterLock(path)
    first.release()
    with WriterLock(path):
        first.release()
        with pytest.raises(StoreLockedError):
            WriterLock(path)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot write beside .*No such file or directory"):
        WriterLock(tmp_path / "no" / "g.duckdb")
