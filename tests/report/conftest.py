"""What the tests of reports share: sessions of a store, and one browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium.webdriver import Chrome

import grammar_store as gs
from grammar_store.bitext.corpus import unescape_symbol
from grammar_store.facade import Store
from grammar_store.report.limits import Limits
from grammar_store.report.write import write_report
from grammar_store.sessions.steps import Evidence, Merge, Promotion

HOSTILE = (
    *("<script>document.title='broken'</script>", "</script>", "<img/src=x/onerror=alert(1)>"),
    *("<b>", "&", "&lt;", '"', "'", "<!--", "]]>", "{{7*7}}", "{%raw%}", "${1}", "</style>"),
    *(
        "\u05e9\u05dc\u05d5\u05dd",
        "\u0645\u0631\u062d\u0628\u0627",
        "\u202erlo",
        "😀",
        "👩\u200d💻",
    ),
    *("[_]", "[X1,1]", "|||", "\\u003c", "javascript:alert(1)", "#X1"),
)
"""Words that some part of a page could take for something else than text."""


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The built-in sample with a session of each kind; no test adds steps to them."""
    path = tmp_path_factory.mktemp("report") / "sample.duckdb"
    with gs.sample_store(path) as store:
        store.session("medoids", method="k-medoids", top=60, clusters=5).run(threads=1)
        hand = store.session("hand", description="things that children have")
        hand.merge("Haus ||| house", "Auto ||| car")
        hand.merge("Kind ||| child", "Haus ||| house")
        dog, child = store["Hund ||| dog"].id, store["Kind ||| child"].id
        hoeffding = Evidence(
            1, dog, child, None, None, 1.5, 15, 30, 150, 0.4, 0.3, None, "hoeffding", 0
        )
        fisher = Evidence(2, 1, 2, None, None, 3, 12, 0, 140, 4, 0.2, 0.002, "fisher", 1)
        hand.apply(
            [
                Merge(0, dog, child, "tested", None, hoeffding),
                Promotion(0, 1, "tested", None, fisher),
                Merge(0, store["Katze ||| cat"].id, child, "forced", 3),
            ]
        )
        store.session("empty")
        yield store


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report on a corpus of words that are not what they look like."""
    folder = tmp_path_factory.mktemp("hostile")
    lines = [f"a {word} b" for word in HOSTILE] + [f"{word} c" for word in HOSTILE]
    links = ["0-0 1-1 2-2"] * len(HOSTILE) + ["0-0 1-1"] * len(HOSTILE)
    for name, rows in (("source", lines), ("target", lines), ("links", links)):
        text = "".join(f"{row}\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8", newline="")
    with gs.open(folder / "<i>store&.duckdb") as store:
        store.build(folder / "source", folder / "target", folder / "links")
        ids = [row.id for row in store.nonterminals() if unescape_symbol(row.source) in HOSTILE]
        session = store.session("<i>'&\"", description="</script><b>&amp;")
        evidence = Evidence(
            1, ids[0], ids[1], None, None, 1, 10, 2, 10, 0.1, 0.5, None, "hoeffding", 0
        )
        session.apply([Merge(0, each, ids[0], "tested", None, evidence) for each in ids[1:]])
        page = folder / "hostile.html"
        limits = Limits(members=100, pairs=100)
        write_report(store.database, page, session.name, limits=limits)
    return page


@pytest.fixture(scope="session")
def pages(store: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The report on each session of the sample."""
    folder = tmp_path_factory.mktemp("pages")
    found = {name: folder / f"{name}.html" for name in ("medoids", "hand", "empty")}
    for name, page in found.items():
        write_report(store.database, page, name, limits=Limits(steps=200))
    return found


@pytest.fixture(scope="session")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for all tests."""
    from browser import browser

    with browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
