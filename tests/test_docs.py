"""The documentation is true: its queries run, its commands and links exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import grammar_store as gs
from grammar_store.cli import cli
from grammar_store.facade import Store
from grammar_store.resources import sql_names

ROOT = Path(__file__).parents[1]
QUERIES = re.findall(r"```sql\n(.*?)```", (ROOT / "docs" / "queries.md").read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return gs.sample_store(tmp_path_factory.mktemp("docs") / "sample.duckdb")


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_worked_queries_find_something(store: Store, query: str) -> None:
    assert len(store.sql(query).fetchall()) > 0


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    missing = [name for name in cli.commands if f"| `{name}" not in readme]
    assert missing == []


@pytest.mark.parametrize("kind", ["tables", "views", "macros"])
def test_every_table_view_and_macro_is_documented(kind: str) -> None:
    page = (ROOT / "docs" / "schema.md").read_text()
    missing = [name for name in sql_names(kind) if f"`{name.partition('/')[2]}" not in page]
    assert missing == []


def test_local_links_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]
    broken = [
        (page.name, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text())
        if not (page.parent / link).exists()
    ]
    assert broken == []


def test_the_python_of_the_readme_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert "das [_]" in capsys.readouterr().out
