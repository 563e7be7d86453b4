"""A corpus of words that are not what they look like, and a report on it."""

from __future__ import annotations

from pathlib import Path

import grammar_store as gs
from grammar_store.bitext.corpus import unescape_symbol
from grammar_store.report.limits import Limits
from grammar_store.report.write import write_report
from grammar_store.sessions.steps import Evidence, Merge

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


def hostile_page(folder: Path) -> Path:
    """A report in which each of these words is a member of a class, in sentences and in steps."""
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
