"""One method with several settings, each in a session of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

import pandas as pd

from grammar_store.sessions.running import FringeResult

if TYPE_CHECKING:
    from grammar_store.sessions.catalogue import Catalogue


def sweep(
    catalogue: Catalogue,
    method: str,
    settings: Sequence[dict[str, Any]],
    prefix: str,
    progress: Callable[[int], None],
) -> pd.DataFrame:
    """Run a method with each setting; one row for each, as in the paper's tables."""
    rows = []
    for done, setting in enumerate(settings):
        progress(done)
        name = prefix + " ".join([method, *(f"{key}={value}" for key, value in setting.items())])
        session = catalogue.session(name, method, "", setting)
        start = monotonic()
        row: dict[str, Any] = {"session": name, **setting}
        if method == "blue-fringe" or not session.step:
            found = session.run()
            if isinstance(found, FringeResult):
                row |= {"promotions": found.promotions, "tests": found.tests}
            else:
                row |= {"loss": found.loss, "silhouette": found.silhouette}
                row |= {"sizes": ", ".join(map(str, found.sizes))}
        row |= {"final": session.at().class_count, "seconds": round(monotonic() - start, 2)}
        rows.append(row)
    progress(len(settings))
    return pd.DataFrame(rows).rename(columns={"final": "final non-terminals"})
