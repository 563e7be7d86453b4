"""The built-in sample with sessions of each kind, made once, and pages about them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import grammar_store as gs
from grammar_store.facade import Store
from grammar_store.report.limits import Limits
from grammar_store.report.write import write_report
from grammar_store.sessions.steps import Evidence, Merge, Promotion


def sample_with_sessions(path: Path) -> Path:
    """A store with the sessions ``medoids``, ``hand`` (of five steps) and ``empty``."""
    path.write_bytes(_content())
    return path


@cache
def _content() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "sample.duckdb"
        with gs.sample_store(path) as store:
            store.session("medoids", method="k-medoids", top=60, clusters=5).run(threads=1)
            _by_hand(store)
            store.session("empty")
        return path.read_bytes()


def _by_hand(store: Store) -> None:
    session = store.session("hand", description="things that children have")
    session.merge("Haus ||| house", "Auto ||| car")
    session.merge("Kind ||| child", "Haus ||| house")
    dog, cat, child = (
        store[name].id for name in ("Hund ||| dog", "Katze ||| cat", "Kind ||| child")
    )
    passed = (1.5, 15.0, 30.0, 150.0, 0.4, 0.3, None, "hoeffding", 0)
    failed = (3.0, 12.0, 0.0, 140.0, 4.0, 0.2, 0.002, "fisher", 1)
    session.apply(
        [
            Merge(0, dog, child, "tested", None, Evidence(1, dog, child, None, None, *passed)),
            Promotion(0, 1, "tested", None, Evidence(2, 1, 2, None, None, *failed)),
            Merge(0, cat, child, "forced", 3),
        ]
    )


def write_pages(store: Store, folder: Path) -> dict[str, Path]:
    """The report on each of the sessions, with at most 200 stops."""
    found = {name: folder / f"{name}.html" for name in ("medoids", "hand", "empty")}
    for name, page in found.items():
        write_report(store.database, page, name, limits=Limits(steps=200))
    return found
