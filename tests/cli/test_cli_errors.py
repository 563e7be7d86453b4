"""What is no store, a damaged one, or a command that is not understood: one line, exit code 2."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest
from commands import TABLE_1, digest, names, run, run_here, write_bitext

from grammar_store.cli import cli

LOOKING: dict[str, Callable[[Path], tuple[object, ...]]] = {
    "info": lambda store: ("info", store),
    "show": lambda store: ("show", store, "X1"),
    "rules": lambda store: ("rules", store),
    "sql": lambda store: ("sql", store, "FROM rule"),
    "check": lambda store: ("check", store),
}


def text_file(path: Path) -> None:
    path.write_text("das ist kein Speicher\n" * 1000)


def empty_file(path: Path) -> None:
    path.touch()


def other_database(path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE mine AS SELECT 42 AS answer")


def folder(path: Path) -> None:
    path.mkdir()


FOREIGN: dict[Callable[[Path], None], str] = {
    text_file: "is not a grammar store",
    empty_file: "is not a grammar store",
    other_database: "not a grammar store",
    folder: "is a folder, not a grammar store",
}


def state(path: Path) -> object:
    return names(path) if path.is_dir() else digest(path)


@pytest.mark.parametrize("command", LOOKING)
@pytest.mark.parametrize("make", FOREIGN)
def test_what_is_no_store(tmp_path: Path, make: Callable[[Path], None], command: str) -> None:
    path = tmp_path / "other.duckdb"
    make(path)
    before = state(path)
    assert FOREIGN[make] in run_here(*LOOKING[command](path)).error
    assert state(path) == before
    assert names(tmp_path) == {"other.duckdb"}


@pytest.mark.parametrize("make", FOREIGN)
def test_only_a_store_is_replaced(tmp_path: Path, make: Callable[[Path], None]) -> None:
    path = tmp_path / "other.duckdb"
    make(path)
    before = state(path)
    arguments = ("build", *write_bitext(tmp_path), "--store", path)
    for more in ([], ["--force"]):
        assert FOREIGN[make] in run_here(*arguments, *more).error
    assert state(path) == before
    assert names(tmp_path) == {"other.duckdb", *TABLE_1}


@pytest.mark.parametrize("command", LOOKING)
def test_a_store_that_is_not_there(tmp_path: Path, command: str) -> None:
    for path in (tmp_path / "none.duckdb", tmp_path / "no" / "none.duckdb"):
        message = run_here(*LOOKING[command](path)).error
        assert str(path) in message
        assert "grammar-store build" in message
    assert names(tmp_path) == set()


def test_as_a_process(tmp_path: Path) -> None:
    text_file(tmp_path / "text")
    assert "not a grammar store" in run("info", "text", cwd=tmp_path).error
    assert "does not exist" in run("check", "none.duckdb", cwd=tmp_path).error
    assert names(tmp_path) == {"text"}


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    files = write_bitext(tmp_path)
    message = run_here("build", *files, "--store", tmp_path / "no" / "x.duckdb").error
    assert message.endswith("No such file or directory")
    assert str(tmp_path / "no" / "x.duckdb") in message
    assert names(tmp_path) == set(TABLE_1)


def test_a_store_of_a_newer_version(table1: Path, tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    shutil.copyfile(table1, store)
    with duckdb.connect(str(store)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    before = digest(store)
    for command in LOOKING.values():
        assert "made by a newer grammar_store (revision 9999)" in run_here(*command(store)).error
    assert digest(store) == before


def test_a_store_of_the_first_version_can_be_built_anew(table1: Path, tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    shutil.copyfile(table1, store)
    with duckdb.connect(str(store)) as connection:
        for table in ("evidence", "promotion", "merge", "session"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    run_here("build", *write_bitext(tmp_path), "--store", store).quiet()
    run_here("check", store).quiet()


def damages(data: bytes) -> dict[str, bytes]:
    """Copies of a store with damage of several kinds; blocks begin at byte 12,288."""
    blocks = {
        f"block {at}": data[: at + 4096] + bytes(255 - b for b in data[at + 4096 : at + 8192])
        + data[at + 8192 :]
        for at in range(12288, len(data), 262144)
    }  # fmt: skip
    cut = {f"cut to {size}": data[:size] for size in (100, 5000, 20_000, len(data) - 4096)}
    head = {f"header {at}": data[:at] + b"\xff" + data[at + 1 :] for at in (0, 20, 4100)}
    return blocks | cut | head


def test_a_damaged_store_is_never_a_traceback(table1: Path, tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    noticed = 0
    for name, data in damages(table1.read_bytes()).items():
        store.write_bytes(data)
        for command, arguments in LOOKING.items():
            outcome = run_here(*arguments(store))
            if command == "check" and outcome.code == 1:
                assert "cannot be verified" in outcome.stdout, name
                noticed += 1
            elif outcome.code != 0:  # the damage may be where the command need not look
                assert outcome.error, (name, command)
                noticed += command == "check"
        assert store.read_bytes() == data
        assert names(tmp_path) == {"x.duckdb"}
    assert noticed >= 8


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuch"], "No such command 'nosuch': see `grammar-store --help`"),
        (["--nosuch"], "No such option '--nosuch': see `grammar-store --help`"),
        (["info"], "Missing argument 'FILE': see `grammar-store info --help`"),
        (["show", "x"], "Missing argument 'NAME': see `grammar-store show --help`"),
        (["sql", "x", "y", "--format", "xml"], "'xml' is not one of 'table', 'csv', 'json'"),
        (["sql", "x", "y", "--limit", "-1"], "-1 is not in the range x>=0"),
        (["rules", "x", "--limit", "-1"], "-1 is not in the range x>=0"),
        (["show", "x", "X1", "--limit", "many"], "'many' is not a valid integer"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_commands_that_are_not_understood(arguments: list[str], message: str) -> None:
    assert message in run_here(*arguments).error


def test_no_command_at_all_gives_help() -> None:
    outcome = run_here()
    assert outcome.code == 2
    assert "Usage: grammar-store " in outcome.stderr
    for name in cli.commands:
        assert f"  {name}" in outcome.stderr
