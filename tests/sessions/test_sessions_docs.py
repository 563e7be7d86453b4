"""The page about sessions is true: its Python and its queries run, and give what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "sessions.md"


def test_the_page_about_sessions() -> None:
    text = PAGE.read_text(encoding="utf-8")
    python = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    names: dict[str, object] = {}
    examples = doctest.DocTestParser().get_doctest(python, names, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    runner.run(examples, out=said.append, clear_globs=False)
    assert not said, "".join(said)
    assert len(examples.examples) > 20
    store = examples.globs["store"]
    queries = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    assert len(queries) == 7
    assert [query for query in queries if not store.sql(query).fetchall()] == []
