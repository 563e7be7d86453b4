"""A small store with rules of two gaps, built once and copied."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import grammar_store as gs

SENTENCES = [
    ("das neue Haus", "the new house", "0-0 1-1 2-2"),
    ("das alte Haus", "the old house", "0-0 1-1 2-2"),
    ("das Haus", "the house", "0-0 1-1"),
    ("ein neues Auto", "a new car", "0-0 1-1 2-2"),
]


def build(path: Path, sentences: list[tuple[str, str, str]]) -> None:
    with TemporaryDirectory() as folder:
        files = [Path(folder) / name for name in ("source", "target", "alignment")]
        for file, lines in zip(files, zip(*sentences, strict=True), strict=True):
            file.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        with gs.open(path) as store:
            store.build(*files, max_gaps=2)


@cache
def _content() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.duckdb"
        build(path, SENTENCES)
        return path.read_bytes()


def small_store(path: Path) -> Path:
    """Seventeen non-terminals; X1 and X2 have count 3, the others 1."""
    path.write_bytes(_content())
    return path
