"""What the program meets outside: closed or foreign streams, and Ctrl-C at any moment."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_SECONDS_UNTIL_AGAIN = 0.05


@contextmanager
def prepared() -> Iterator[None]:
    """Streams that can be written to whatever the text, and no interrupt that gets lost."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # Closed by the caller. Left so, the next file opened would be standard output.
            descriptor = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(descriptor, "r" if number == 0 else "w"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    hook = sys.unraisablehook
    sys.unraisablehook = _interrupt_again
    try:
        yield
    finally:
        sys.unraisablehook = hook


def _interrupt_again(ignored: UnraisableHookArgs) -> None:
    """Send an interrupt once more that arrived where Python has to ignore it.

    That is in a callback from compiled code, of which loading the kernels makes many.
    """
    if ignored.exc_type is KeyboardInterrupt:
        main = threading.main_thread().ident
        threading.Timer(_SECONDS_UNTIL_AGAIN, signal.pthread_kill, (main, signal.SIGINT)).start()
    else:
        sys.__unraisablehook__(ignored)


def was_interrupted(problem: RuntimeError) -> bool:
    """Whether this is what DuckDB makes of an interrupt during a query."""
    return str(problem) == "Query interrupted"


def discard_output() -> None:
    """Let what is still to be written to standard output vanish, so that exit is quiet."""
    try:
        descriptor = sys.stdout.fileno()
    except OSError:
        return  # no file: a test has taken its place
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
