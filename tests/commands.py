"""Running the program, as a process or, where a process is not the point, inside this one."""

from __future__ import annotations

import hashlib
import io
import os
import random
import subprocess
import sys
import time
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grammar_store as gs
from grammar_store.cli import main

TABLE_1 = {
    "source": "das neue Haus\ndas Haus\n",
    "target": "the new house\nthe house\n",
    "alignment": "0-0 1-1 2-2\n0-0 1-1\n",
}
"""The two sentence pairs of the paper's Table 1, with monotone links."""

COMMAND = (sys.executable, "-m", "grammar_store")
# From any working directory, also when the package is not installed.
ENVIRONMENT = os.environ | {"PYTHONPATH": str(Path(gs.__file__).parents[1])}


@dataclass(frozen=True)
class Outcome:
    """What a command gave."""

    code: int
    output: bytes
    stderr: str

    @property
    def stdout(self) -> str:
        return self.output.decode()

    @property
    def lines(self) -> list[str]:
        """The lines of standard output, split at line feeds only."""
        return self.stdout.removesuffix("\n").split("\n")

    @property
    def error(self) -> str:
        """The message of a command that must have been refused, with one line and nothing else."""
        assert self.code == 2, (self.code, self.stderr)
        assert self.output == b""
        assert self.stderr.startswith("error: ")
        assert self.stderr.endswith("\n")
        assert self.stderr.count("\n") == 1, self.stderr
        assert "Traceback" not in self.stderr
        return self.stderr.removeprefix("error: ").removesuffix("\n")

    def quiet(self) -> Outcome:
        """The same, of a command that must have gone well without a word on stderr."""
        assert (self.code, self.stderr) == (0, "")
        return self


def run(*arguments: Any, stdin: bytes = b"", **more: Any) -> Outcome:
    """Run a command as a process of its own."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=more.pop("env", ENVIRONMENT),
        timeout=300,
        check=False,
        **more,
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode())


def run_here(*arguments: Any, stdin: bytes = b"") -> Outcome:
    """Run a command in this process, through the program's own entry."""
    output, errors = io.BytesIO(), io.BytesIO()
    streams = [_text(stream) for stream in (io.BytesIO(stdin), output, errors)]
    before = sys.stdin
    sys.stdin = streams[0]
    try:
        with redirect_stdout(streams[1]), redirect_stderr(streams[2]):
            main([str(argument) for argument in arguments])
    except SystemExit as leaving:
        code = leaving.code
    finally:
        sys.stdin = before
    for stream in streams:
        stream.flush()
    assert isinstance(code, int)
    return Outcome(code, output.getvalue(), errors.getvalue().decode())


def _text(stream: io.BytesIO) -> io.TextIOWrapper:
    return io.TextIOWrapper(stream, encoding="utf-8", newline="")


def write_bitext(folder: Path, texts: dict[str, str] | None = None) -> list[Path]:
    """Write source, target and alignment, by default those of Table 1; the arguments of build."""
    texts = texts or TABLE_1
    for role, text in texts.items():
        (folder / role).write_text(text, encoding="utf-8", newline="")
    return [folder / role for role in texts]


def write_large_bitext(folder: Path, pairs: int, seed: int = 1) -> list[Path]:
    """Sentence pairs of the built-in sample, some joined, with some links left out."""
    chance = random.Random(seed)
    sample = [path.read_text(encoding="utf-8").splitlines() for path in gs.sample_files()]
    sentences = list(zip(*sample, strict=True))
    rows: list[list[str]] = []
    for _ in range(pairs):
        row: list[list[str]] = [[], [], []]
        for source, target, links in chance.choices(sentences, k=chance.choice((1, 1, 1, 2))):
            for link in links.split(" "):
                i, j = map(int, link.split("-"))
                if chance.random() < 0.95:
                    row[2].append(f"{i + len(row[0])}-{j + len(row[1])}")
            row[0] += source.split(" ")
            row[1] += target.split(" ")
        rows.append([" ".join(words) for words in (row[0], row[1], row[2] or ["0-0"])])
    columns = zip(TABLE_1, zip(*rows, strict=True), strict=True)
    return write_bitext(folder, {role: "\n".join(lines) + "\n" for role, lines in columns})


def start_build(files: list[Path], store: Path, *options: Any) -> subprocess.Popen[str]:
    """Start a build as a process and wait until it has the lock, so that it really builds."""
    process = subprocess.Popen(
        [*COMMAND, "build", *map(str, files), "--store", str(store), *map(str, options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        text=True,
    )
    while not is_locked_by(process, store) and process.poll() is None:
        time.sleep(0.002)
    return process


def is_locked_by(process: subprocess.Popen[str], store: Path) -> bool:
    try:
        return str(process.pid) in lock_of(store).read_text()
    except FileNotFoundError:
        return False


def seconds_of_a_build(files: list[Path], store: Path) -> float:
    """How long a build holds the lock, which is until the store is in place, at the quickest."""
    seconds = []
    for _ in range(3):  # the first may have to compile the kernels
        process = start_build(files, store)
        start = time.perf_counter()
        while lock_of(store).exists():
            time.sleep(0.002)
        seconds.append(time.perf_counter() - start)
        _, said = process.communicate(timeout=600)
        assert process.returncode == 0, said
    return min(seconds)


def lock_of(store: Path) -> Path:
    """The file that says which process writes to a store."""
    return store.with_name(store.name + ".lock")


def digest(path: Path) -> str:
    """A hash of a file that nobody has open."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def names(folder: Path) -> set[str]:
    """The names of all files of a folder."""
    return {path.name for path in folder.iterdir()}
