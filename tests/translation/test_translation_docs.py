"""The page about translation grammars is true: its Python runs, and gives what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

from grammar_store.translation.features import FEATURES

PAGE = Path(__file__).parents[2] / "docs" / "translation.md"


def test_the_page_about_translation() -> None:
    text = PAGE.read_text(encoding="utf-8")
    python = "\n".join(re.findall(r"```pycon\n(.*?)```", text, re.DOTALL))
    examples = doctest.DocTestParser().get_doctest(python, {}, PAGE.name, str(PAGE), 0)
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert not said, "".join(said)
    assert len(examples.examples) > 10
    assert tuple(re.findall(r"^\| `(.*?)` \|", text.replace(r"\|", "|"), re.MULTILINE)) == FEATURES
