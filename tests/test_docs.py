"""The documentation is true: its queries run, its commands and links exist."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import duckdb
import nbformat
import pytest

import grammar_store as gs
from grammar_store.cli import cli
from grammar_store.facade import Store
from grammar_store.resources import sql_names
from grammar_store.sessions.session import Session
from grammar_store.store.schema import create_schema

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


QUERIES = blocks("queries.md", "sql")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The store that the page of queries describes, made by the code on that page."""
    path = tmp_path_factory.mktemp("docs") / "sample.duckdb"
    (code,) = blocks("queries.md", "python")
    with gs.sample_store(path) as store:
        exec(code.replace("gs.sample_store()", "given"), {"given": store})
        yield store


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_worked_queries_find_something(store: Store, query: str) -> None:
    assert len(store.sql(query).fetchall()) > 0


def test_there_are_twenty_queries_and_sessions_among_them() -> None:
    assert len(QUERIES) >= 20
    assert sum("'nouns'" in query for query in QUERIES) >= 5


def test_every_command_is_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    missing = [name for name in cli.commands if f"| `{name}" not in readme]
    assert missing == []


@pytest.mark.parametrize("kind", ["tables", "views", "macros"])
def test_every_table_view_and_macro_is_documented(kind: str) -> None:
    page = (ROOT / "docs" / "schema.md").read_text()
    missing = [name for name in sql_names(kind) if f"`{name.partition('/')[2]}" not in page]
    assert missing == []


def test_every_column_of_tables_and_views_is_documented() -> None:
    sections = re.split(
        r"^### ", (DOCS / "schema.md").read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    by_name = {re.match(r"`(\w+)", section)[1]: section for section in sections[1:]}  # type: ignore[index]
    with duckdb.connect() as connection:
        create_schema(connection)
        columns = connection.execute(
            "SELECT table_name, column_name FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    missing = [(table, column) for table, column in columns if f"`{column}`" not in by_name[table]]
    assert missing == []
    explained = [name for name, text in by_name.items() if "| meaning |" not in text]
    assert set(explained) <= {"rules_of", "theta", "fisher_p"}


def test_pages_made_from_the_code_are_up_to_date() -> None:
    """If this fails, run ``python docs/generate`` and look at what has changed."""
    program = (
        "import sys; sys.path.insert(0, sys.argv[1] + '/generate')\n"
        "from pathlib import Path\n"
        "from pages import pages\n"
        "for path, text in pages(Path(sys.argv[1])).items():\n"
        "    if not path.exists() or path.read_text(encoding='utf-8') != text: print(path.name)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, DOCS], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == ""


def test_every_command_and_option_is_in_the_reference() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    for name, command in cli.commands.items():
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        options = [one for parameter in command.params for one in parameter.opts if "--" in one]
        assert section, f"{name}: run `python docs/generate`"
        assert [option for option in options if option not in section] == []


@pytest.mark.parametrize("kind", [Store, Session])
def test_every_public_method_is_in_the_reference(kind: type) -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    section = page.partition(f".{kind.__name__}\n\n")[2].partition("\n## ")[0]
    public = [name for name in dir(kind) if not name.startswith("_")]
    assert len(public) > 10
    assert [name for name in public if f"`.{name}" not in section] == []


def test_the_picture_of_the_schema_has_every_table_and_column() -> None:
    picture = ElementTree.fromstring((DOCS / "schema.svg").read_text(encoding="utf-8"))
    words = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    with duckdb.connect() as connection:
        create_schema(connection)
        rows = connection.execute(
            "SELECT table_name, list(column_name ORDER BY column_index) FROM duckdb_columns()"
            " WHERE table_name IN (SELECT table_name FROM duckdb_tables()) GROUP BY table_name"
        ).fetchall()
    for table, columns in rows:
        start = words.index(table)
        assert words[start + 1 : start + 1 + 2 * len(columns) : 2] == columns


def test_the_glossary_has_the_words_of_the_definitions() -> None:
    words = re.findall(r"^\| ([^|]+) \|", (DOCS / "definitions.md").read_text(), re.MULTILINE)
    words = words[words.index("word") + 1 : words.index("option")]
    glossary = (DOCS / "glossary.md").read_text(encoding="utf-8")
    assert len(words) > 8
    assert [word for word in words if f"| {word} |" not in glossary] == []


def test_the_page_about_looking_is_true() -> None:
    text = "\n".join(blocks("looking.md", "pycon"))
    examples = doctest.DocTestParser().get_doctest(text, {}, "looking.md", "looking.md", 0)
    said: list[str] = []
    doctest.DocTestRunner().run(examples, out=said.append)
    assert not said, "".join(said)
    assert len(examples.examples) > 15


@pytest.mark.parametrize("page", sorted(DOCS.glob("notebooks/*.md")), ids=lambda page: page.stem)
def test_notebooks_with_outputs_have_the_code_of_the_notebooks(page: Path) -> None:
    """If this fails, run ``python docs/generate/notebooks.py NAME``."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{page.stem}.ipynb", as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^```python\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE) == code
    pictures = re.findall(r"\((\S+\.png)\)|src=\"(\S+\.svg)\"", text)
    files = {path.name for path in page.parent.glob(f"{page.stem}_*.[ps][nv]g")}
    assert files == {png or svg for png, svg in pictures}


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in DOCS.glob("*.md")} - {"README.md"}
    assert {name for name in pages if f"({name})" not in index} == set()


def test_local_links_lead_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
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
