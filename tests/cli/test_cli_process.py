"""The program among others: terminals, pipes, signals, closed streams, and how it starts."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import (
    COMMAND,
    ENVIRONMENT,
    digest,
    names,
    run,
    run_here,
    seconds_of_a_build,
    start_build,
    write_bitext,
    write_large_bitext,
)

from grammar_store.cli import cli

SLOW_TO_IMPORT = ("duckdb", "numba", "pandas", "scipy", "alembic", "pyarrow", "sqlalchemy", "rich")


@pytest.mark.parametrize("arguments", [["--help"], ["build", "--help"], ["--version"]])
def test_help_is_quick(arguments: list[str]) -> None:
    """Nothing heavy is imported before it is needed."""
    program = (
        "import sys, grammar_store.cli\n"
        "try:\n    grammar_store.cli.main(sys.argv[1:])\n"
        "finally:\n    print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=True,
    )  # fmt: skip
    assert done.stdout
    loaded = set(done.stderr.split())
    assert "click" in loaded
    assert loaded.isdisjoint(SLOW_TO_IMPORT)


@pytest.mark.parametrize("command", [[], *([name] for name in cli.commands)])
@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(command: list[str], option: str) -> None:
    lines = run_here(*command, option).quiet().lines
    assert lines[0].startswith(" ".join(["Usage: grammar-store", *command]))
    assert not [line for line in lines if len(line) > 100]


def test_the_version() -> None:
    assert re.fullmatch(r"grammar-store, version \d+\.\d+\.\d+\n", run("--version").quiet().stdout)


def test_nothing_on_stderr_in_a_pipe(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    run("build", *write_bitext(tmp_path), "--store", store).quiet()
    for arguments in (["info", store], ["check", store], ["sql", store, "FROM rule"]):
        assert run(*arguments).quiet().output


def on_a_terminal(*arguments: object, cwd: Path | None = None) -> tuple[int, str]:
    """The exit code and everything that a command shows on a terminal of its own."""
    control, terminal = pty.openpty()
    environment = ENVIRONMENT | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=terminal, stdout=terminal, stderr=terminal, env=environment, cwd=cwd,
        start_new_session=True,
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        if not select.select([control], [], [], 1)[0]:
            continue
        try:
            shown += os.read(control, 65536)
        except OSError:  # the terminal is closed
            break
    os.close(control)
    return process.wait(timeout=60), shown.decode()


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"
    code, shown = on_a_terminal("build", *write_bitext(tmp_path), "--store", store)
    assert code == 0
    for stage in ("reading", "phrase pairs", "heights", "contexts", "rules", "writing"):
        assert stage in shown
    assert "━" in shown  # the bars
    code, shown = on_a_terminal("check", store)
    assert code == 0
    assert "all invariants hold" in shown


def test_words_that_look_like_markup_or_steer_terminals(tmp_path: Path) -> None:
    words = ["[bold]b[/bold]", "[/]", "[link=x]", "\x1b[31mred", "\x9b31m", "<script>", "\u2028|"]
    line = " ".join(words)
    links = " ".join(f"{i}-{i}" for i in range(len(words)))
    (tmp_path / "text").write_text(f"{line} ||| {line} ||| {links}\n", newline="")
    store = tmp_path / "x.duckdb"
    run_here("build", tmp_path / "text", "--store", store)
    query = "SELECT unnest(string_split(source, ' ')) AS \"[bold]\" FROM bitext"
    for arguments in (["sql", store, query], ["show", store, f"{line} ||| {line}"]):
        code, shown = on_a_terminal(*arguments)
        assert code == 0
        assert "\x1b[31m" not in shown
        assert "\x9b" not in shown
        plain = without_colour(shown)
        for word in ("[bold]b[/bold]", "[/]", "[link=x]", "\\x1b[31mred", "\\x9b31m", "<script>"):
            assert word in plain
    # A heading made by the query is text too.
    assert "[bold]" in without_colour(on_a_terminal("sql", store, query)[1]).splitlines()[1]


def test_a_terminal_is_asked_for_a_query_or_given_no_parquet(table1: Path) -> None:
    code, shown = on_a_terminal("sql", table1)
    assert (code, shown.count("\n")) == (2, 1)
    assert "give a query, or pipe one in" in shown
    code, shown = on_a_terminal("sql", table1, "FROM rule", "--format", "parquet")
    assert (code, shown.strip()) == (2, "error: parquet is not for a terminal: add -o FILE")


MANY_ROWS = "SELECT a.range FROM range(1000000) AS a"


@pytest.mark.parametrize(
    "arguments",
    [
        ["rules", "--limit", "0"],
        ["sql", MANY_ROWS, "--limit", "0"],
        ["sql", MANY_ROWS, "--format", "csv"],
        ["sql", MANY_ROWS, "--format", "json"],
        ["sql", "SELECT uuid() AS u FROM range(100000)", "--format", "parquet"],
    ],
    ids=lambda arguments: " ".join([arguments[0], *arguments[-2:]]),
)
def test_a_reader_who_leaves_early(sample: Path, arguments: list[str]) -> None:
    process = subprocess.Popen(
        [*COMMAND, arguments[0], str(sample), *arguments[1:]],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        assert process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.wait(timeout=60) == 128 + signal.SIGPIPE


@pytest.mark.parametrize("arguments", [["rules"], ["info"], ["info", "--json"], ["check"]])
def test_an_output_that_cannot_be_written(sample: Path, arguments: list[str]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*COMMAND, arguments[0], str(sample), *arguments[1:]],
            stdout=full, stderr=subprocess.PIPE, env=ENVIRONMENT, timeout=60, check=False,
        )  # fmt: skip
    errors = done.stderr.decode().splitlines()
    assert done.returncode == 2
    assert errors[-1] == "error: cannot write the output: No space left on device"
    assert all(line.startswith(("error: ", "only the first ")) for line in errors)


def test_closed_streams(tmp_path: Path) -> None:
    store = tmp_path / "x.duckdb"

    def quietly(*arguments: object) -> int:
        command = [*COMMAND, *map(str, arguments)]
        script = 'exec "$@" <&- >&- 2>&-'
        return subprocess.run(["sh", "-c", script, "sh", *command], env=ENVIRONMENT).returncode

    assert quietly("build", *write_bitext(tmp_path), "--store", store) == 0
    assert quietly("rules", store) == 0
    assert quietly("sql", store, "FROM rule", "--format", "csv") == 0
    assert quietly("info", tmp_path / "none") == 2
    run_here("check", store).quiet()


def test_a_terminal_without_unicode(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("für \U0001d11e ||| for \U0001d11e ||| 0-0 1-1\n")
    store = tmp_path / "x.duckdb"
    run_here("build", tmp_path / "text", "--store", store).quiet()
    environment = ENVIRONMENT | {"PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}
    shown = run("sql", store, "SELECT source FROM bitext", env=environment)
    assert (shown.code, shown.stderr) == (0, "")
    assert shown.output == "source\nfür \\U0001d11e\n".encode("latin-1")
    name = "für \U0001d11e ||| for \U0001d11e"
    found = run("show", store, "X1", "--json", env=environment).quiet()
    assert json.loads(found.output)["examples"][0]["source"][0] in ("", "für")
    by_text = run("show", store, name, "--json", env=ENVIRONMENT).quiet()
    assert json.loads(by_text.output)["source"] == "für \U0001d11e"


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Press Ctrl-C; exit code and stderr."""
    process.send_signal(signal.SIGINT)
    try:
        _, said = process.communicate(timeout=60)
    finally:
        process.kill()  # an endless query must not outlive its test
    # Python ends some interrupted programs by the signal itself; a shell sees 130 either way.
    code = process.returncode
    return (128 - code if code < 0 else code), said.strip()


INTERRUPTED = (130, "interrupted: nothing half-done was left")


def test_an_interrupted_build_leaves_nothing(tmp_path: Path) -> None:
    files = write_large_bitext(tmp_path, 1000)
    store = tmp_path / "out" / "x.duckdb"
    store.parent.mkdir()
    duration = seconds_of_a_build(files, store)
    store.unlink()
    for part, threads in ((0.0, 2), (0.3, 1), (0.7, 1)):
        process = start_build(files, store, "--threads", threads)
        time.sleep(part * duration)
        assert interrupt(process) == INTERRUPTED
        assert names(store.parent) == set()
    (tmp_path / "small").mkdir()
    run_here("build", *write_bitext(tmp_path / "small"), "--store", store).quiet()
    before = digest(store)
    process = start_build(files, store)
    time.sleep(0.5 * duration)
    assert interrupt(process) == INTERRUPTED
    assert digest(store) == before
    assert names(store.parent) == {"x.duckdb"}


@pytest.mark.parametrize("form", ["table", "csv"])
def test_an_endless_query_can_be_interrupted(sample: Path, tmp_path: Path, form: str) -> None:
    endless = "SELECT count(*) AS n FROM range(1000000000) AS a, range(1000000000) AS b"
    endless += " WHERE a.range * 7 % 1000 = b.range % 999"
    output = ["-o", str(tmp_path / "out.csv")] if form == "csv" else []
    process = subprocess.Popen(
        [*COMMAND, "sql", str(sample), endless, "--format", form, *output],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT, text=True,
    )  # fmt: skip
    time.sleep(3)
    started = time.monotonic()
    assert interrupt(process) == INTERRUPTED
    assert time.monotonic() - started < 10
    assert names(tmp_path) == set()


def python(program: str) -> str:
    """What a Python program prints."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True, text=True, env=ENVIRONMENT, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_an_interrupt_that_python_ignores_comes_again() -> None:
    """In a callback from compiled code, as loading the kernels makes many, it would be lost."""
    program = """
import ctypes, signal, time
from grammar_store.cli.surroundings import prepared
def callback():
    signal.raise_signal(signal.SIGINT)
with prepared():
    try:
        ctypes.CFUNCTYPE(None)(callback)()
        print("not yet", flush=True)
        time.sleep(30)
    except KeyboardInterrupt:
        print("now")
"""
    assert python(program) == "not yet\nnow\n"
