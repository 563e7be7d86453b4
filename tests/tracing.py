"""System calls that go wrong, or kill, made with strace in real processes."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from forked import LONGEST, Process

needs_strace = pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")


@contextmanager
def traced(process: Process, injection: str, trace: Path, *files: Path) -> Iterator[None]:
    """Let something happen to the calls of a process about some files, all noted in ``trace``."""
    # Killed at last, it leaves the process alone, which then dies of age.
    command = ["timeout", "--signal=KILL", str(LONGEST), "strace"]
    command += ["-f", "-p", str(process.pid), "-o", str(trace), "-e", f"inject={injection}"]
    for file in files:
        command += ["-P", str(file)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        assert strace.stderr is not None
        said = strace.stderr.readline()
        if "attached" not in said:
            process.kill()
            pytest.skip(f"strace may not attach to processes here: {said.strip()}")
        try:
            yield
        except BaseException:
            process.kill()  # what strace waits for
            raise
        strace.stderr.read()
    assert strace.returncode >= 0, "strace was killed"
