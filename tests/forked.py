"""Programs that start at once: forked from a process that has imported everything.

That process never opens a store, so that nothing of DuckDB is forked, and has no threads, which
would be missing, with the locks that they held, in what is forked. It compiles, or loads, the
kernels of sessions. Each program is a real process with its own pid and pipes, and can be killed.
None runs for longer than `LONGEST`: it says where it is, and dies.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from commands import ENVIRONMENT, write_bitext

import grammar_store as gs

LONGEST = 300
"""How many seconds a program may run."""

SERVER = """
import faulthandler, json, os, signal, socket, sys, traceback
import duckdb, duckdb_sqlalchemy, numpy, pandas, pyarrow, sqlalchemy
import grammar_store as gs
from grammar_store import cli, facade
from grammar_store.sessions import hashing, line, steps
held = line.Line(numpy.ones(3, numpy.int64))
made = steps.completed(steps.to_table([steps.Merge(1, 2, 1)]), 0)
held.extend(numpy.array([2]), numpy.array([1]), hashes=hashing.chained(0, made))
held.leader_of(2), held.members_of(2), held.truncate(0)
threads = os.listdir("/proc/self/task")
assert len(threads) == 1, f"{len(threads)} threads would be lost in a fork"
asks = socket.socket(fileno=int(sys.argv[1]))
while True:
    asked, pipes, _, _ = socket.recv_fds(asks, 1 << 20, 3)
    if not asked:
        break
    what, *arguments = json.loads(asked)
    if what == "wait":
        _, status = os.waitpid(arguments[0], 0)
        asks.sendall(json.dumps(os.waitstatus_to_exitcode(status)).encode())
        continue
    child = os.fork()
    if child == 0:
        asks.close()
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
            os.close(pipe)
        faulthandler.register(signal.SIGALRM, 2, chain=True)
        signal.alarm(int(sys.argv[2]))
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(n, "w" if n else "r") for n in range(3))
        code = 0
        sys.argv[1:] = arguments
        try:
            exec(what, {"__name__": "__main__"})
        except SystemExit as leaving:
            code = leaving.code or 0
        except BaseException:
            traceback.print_exc()
            code = 1
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    for pipe in pipes:
        os.close(pipe)
    asks.sendall(json.dumps(child).encode())
"""


class Process:
    """A program that runs; its pipes are text."""

    def __init__(self, server: Server, pid: int, pipes: list[int]) -> None:
        self.pid = pid
        self._server = server
        self._code: int | None = None
        self.stdin: IO[str] = os.fdopen(pipes[0], "w")
        self.stdout: IO[str] = os.fdopen(pipes[1])
        self.stderr: IO[str] = os.fdopen(pipes[2])

    def tell(self, line: str) -> None:
        self.stdin.write(line + "\n")
        self.stdin.flush()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code, negative for a signal."""
        if self._code is None:
            self._code = int(self._server._ask(["wait", self.pid]))
        return self._code

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None and self._code is None:
            self.kill()
        self.wait()
        for pipe in (self.stdin, self.stdout, self.stderr):
            pipe.close()


class Server:
    """What programs are forked from."""

    def __init__(self, asks: socket.socket) -> None:
        self._asks = asks

    def _ask(self, question: list[Any], pipes: list[int] | None = None) -> Any:
        socket.send_fds(self._asks, [json.dumps(question).encode()], pipes or [])
        answer = self._asks.recv(1000)
        assert answer, "the server is gone"
        return json.loads(answer)

    def start(self, program: str, *arguments: Any) -> Process:
        """Start a program, given as text, with arguments."""
        (stdin, tell), (read, stdout), (read_errors, stderr) = (os.pipe() for _ in range(3))
        theirs = [stdin, stdout, stderr]
        pid = self._ask([program, *map(str, arguments)], theirs)
        for pipe in theirs:
            os.close(pipe)
        return Process(self, pid, [tell, read, read_errors])


@cache
def server() -> Server:
    """The process to start programs from; it ends with this one."""
    ours, theirs = socket.socketpair()
    number = theirs.fileno()
    # The allocator of Arrow, and linear algebra, would start threads.
    alone = {"OPENBLAS_NUM_THREADS": "1", "JE_ARROW_MALLOC_CONF": "background_thread:false"}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(number), str(LONGEST)],
        pass_fds=[number],
        env=ENVIRONMENT | alone,
    )
    theirs.close()

    ours.settimeout(2 * LONGEST)  # before the first answer it may have to compile

    def end() -> None:
        ours.close()
        try:
            process.wait(LONGEST)
        finally:
            process.kill()

    atexit.register(end)
    return Server(ours)


def small_store(folder: Path, nonterminals: int = 300) -> Path:
    """A store of word pairs, each seen once: X1, X2, and so on, without contexts."""
    store = folder / "x.duckdb"
    lines = [f"s{number:04}" for number in range(nonterminals)]
    texts = {"source": lines, "target": lines, "alignment": ["0-0"] * nonterminals}
    files = write_bitext(folder, {role: "\n".join(text) + "\n" for role, text in texts.items()})
    gs.open(store).build(*files)
    return store


def merges_of(store: Path, session: str) -> list[tuple[int, int]]:
    """Who was displaced by whom in a session, step by step, in a store that must be sound.

    Nobody, if there is no such session.
    """
    with gs.open(store, read_only=True) as opened:
        assert opened.check() == []
        if session not in set(opened.sessions()["name"]):
            return []
        steps = list(opened.session(session))
    assert [step.step for step in steps] == list(range(1, len(steps) + 1))
    return [(step.displaced, step.leader) for step in steps]
