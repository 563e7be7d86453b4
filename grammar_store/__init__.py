"""Learn synchronous grammars with specialised non-terminals, in one DuckDB file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from grammar_store import errors

if TYPE_CHECKING:
    from grammar_store.facade import Store

__all__ = ["errors", "open", "sample_files", "sample_store"]


def open(path: str | Path, read_only: bool = False) -> Store:
    """Open the store in a file, or name the file that a store is to be built in.

    A store of an older version is brought up to date, after a verified backup copy.

    Examples
    --------
    >>> import grammar_store as gs, tempfile
    >>> store = gs.open(tempfile.mkdtemp() + "/sample.duckdb")
    >>> store.build(*gs.sample_files()).sentences
    360
    """
    # Loading the kernels takes a second: not before somebody opens a store.
    from grammar_store.facade import Store

    return Store(path, read_only=read_only)


def sample_files() -> tuple[Path, Path, Path]:
    """The built-in German-English sample: source, target and alignment."""
    folder = Path(__file__).parent / "sample"
    return folder / "sample.de", folder / "sample.en", folder / "sample.align"


def sample_store(path: str | Path | None = None) -> Store:
    """A store of the built-in sample; without a path, in a folder that goes with the program.

    Examples
    --------
    >>> import grammar_store as gs
    >>> gs.sample_store().info()["sentences"]
    360
    """
    store = open(path or _passing_folder() / "sample.duckdb")
    store.build(*sample_files())
    return store


def _passing_folder() -> Path:
    import atexit
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="grammar_store_")
    atexit.register(folder.cleanup)
    return Path(folder.name)
