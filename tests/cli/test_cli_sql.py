"""The command sql: its formats, that it can only read, and words made to confuse it."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from commands import digest, names, run, run_here

# Whatever a token may be: it has no space and no line feed, and is not empty.
HOSTILE = (
    *(
        "tab\there",
        "'",
        '"',
        '""',
        "';DROP--",
        ",",
        ";",
        "a,b",
        "\\",
        "\\n",
        "%s",
        "{}",
    ),
    *("<script>alert(1)</script>", "[bold]", "[/bold]", "[/]", "[red", "$x", "`id`", "NULL", "\r"),
    *("\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1b[31m", "\x1c", "\x7f", "\ufeff", "\u00a0"),
    *("\u202e", "e\u0301", "é", "\U0001d11e", "\ufffd", "[_]", "[X1,1]", r"[\_]", "[X1,1][_]"),
    *("-o", "--", "1e999", "nan", "=1+1"),
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of one sentence pair for each such word, linked to itself."""
    folder = tmp_path_factory.mktemp("hostile")
    text = "".join(f"{token} ||| {token} ||| 0-0\n" for token in HOSTILE)
    (folder / "text").write_text(text, encoding="utf-8", newline="")
    outcome = run_here("build", folder / "text", "--store", folder / "hostile.duckdb")
    assert outcome.code == 0
    return folder / "hostile.duckdb"


def from_csv(output: bytes) -> list[str]:
    (header, *rows) = csv.reader(io.StringIO(output.decode(), newline=""))
    assert header == ["source"]
    return [row[0] for row in rows]


def from_json(output: bytes) -> list[str]:
    return [row["source"] for row in json.loads(output)]


def from_parquet(output: bytes) -> list[str]:
    return pq.read_table(io.BytesIO(output)).column("source").to_pylist()


READERS: dict[str, Callable[[bytes], list[str]]] = {
    "csv": from_csv,
    "json": from_json,
    "parquet": from_parquet,
}
WORDS = "SELECT source FROM bitext ORDER BY sentence_id"


@pytest.mark.parametrize("form", READERS)
def test_hostile_words_come_out_as_they_went_in(hostile: Path, tmp_path: Path, form: str) -> None:
    outcome = run_here("sql", hostile, WORDS, "--format", form).quiet()
    assert READERS[form](outcome.output) == list(HOSTILE)
    file = tmp_path / f"out.{form}"
    assert run_here("sql", hostile, WORDS, "-o", file).quiet().output == b""
    assert file.read_bytes() == outcome.output


def test_a_table_has_a_line_for_each_row_whatever_the_words(hostile: Path) -> None:
    lines = run_here("sql", hostile, WORDS).quiet().lines
    shown = {"tab\there": "tab\\there", "\x1b[31m": "\\x1b[31m", "\x85": "\\x85", "\r": "\\r"}
    shown |= {"\x0b": "\\x0b", "\x0c": "\\x0c", "\x1c": "\\x1c", "\x7f": "\\x7f"}
    assert lines == ["source", *(shown.get(token, token) for token in HOSTILE)]


@pytest.mark.parametrize("command", ["show", "rules"])
def test_hostile_words_can_be_looked_at(hostile: Path, command: str) -> None:
    query = "SELECT nonterminal_id AS id, source, target FROM nonterminal"
    rows = json.loads(run_here("sql", hostile, query, "--json").quiet().stdout)
    assert len(rows) == len(HOSTILE)
    for row in rows:
        name = f"{row['source']} ||| {row['target']}"
        arguments = ["--lhs=" + name] if command == "rules" else ["--", name]
        found = json.loads(run_here(command, hostile, "--json", *arguments).quiet().stdout)
        if command == "show":
            (example,) = found["examples"]
            assert (found["name"], found["source"]) == (f"X{row['id']}", row["source"])
            assert example["source"][1] == HOSTILE[example["sentence_id"] - 1]
        else:
            assert [rule["lhs_id"] for rule in found["rules"]] == [row["id"]]


def test_types(table1: Path) -> None:
    query = """
        SELECT 1 AS whole, 0.5::DOUBLE AS number, sum(count) AS total, 1.25::DECIMAL(5, 2) AS dec,
            true AS truth, NULL AS nothing, '' AS empty, ['a', 'b'] AS list, {'a': 1} AS struct,
            DATE '2020-02-29' AS day, 'nan'::DOUBLE AS nan, 'inf'::DOUBLE AS infinite
        FROM nonterminal
    """
    (row,) = json.loads(run_here("sql", table1, query, "--json").quiet().stdout)
    assert row == {
        "whole": 1,
        "number": 0.5,
        "total": 9,
        "dec": 1.25,
        "truth": True,
        "nothing": None,
        "empty": "",
        "list": ["a", "b"],
        "struct": {"a": 1},
        "day": "2020-02-29",
        "nan": None,
        "infinite": None,
    }
    lines = run_here("sql", table1, query, "--format", "csv").quiet().lines
    assert lines[1] == '1,0.5,9,1.25,true,,,"[""a"", ""b""]","{""a"": 1}",2020-02-29,nan,inf'
    table = run_here("sql", table1, query).quiet().lines
    assert table[1].split("\t")[:7] == ["1", "0.5", "9", "1.25", "True", "", ""]


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_no_rows(table1: Path, form: str) -> None:
    output = run_here("sql", table1, "SELECT 1 AS a WHERE false", "--format", form).quiet().output
    assert output == {"table": b"a\n", "csv": b"a\n", "json": b"[]\n"}[form]


def test_no_rows_of_parquet_keep_their_columns(table1: Path, tmp_path: Path) -> None:
    file = tmp_path / "none.parquet"
    run_here("sql", table1, "FROM rule WHERE false", "-o", file).quiet()
    assert pq.read_table(file).column_names == ["rule_id", "lhs_id", "count", "gaps"]


def test_a_table_shows_the_first_rows_and_a_file_has_all(sample: Path, tmp_path: Path) -> None:
    outcome = run_here("sql", sample, "FROM range(30000)")
    assert len(outcome.lines) == 101
    assert outcome.stderr == "only the first 100 rows: use --limit 0 for all\n"
    outcome = run_here("sql", sample, "FROM range(30000)", "--limit", 7)
    assert (len(outcome.lines), outcome.stderr[:20]) == (8, "only the first 7 row")
    assert len(run_here("sql", sample, "FROM range(100)").quiet().lines) == 101
    for options in (["--limit", "0"], ["--format", "csv"], ["--format", "csv", "--limit", "5"]):
        lines = run_here("sql", sample, "FROM range(30000)", *options).quiet().lines
        assert lines == ["range", *map(str, range(30000))]
    rows = json.loads(run_here("sql", sample, "FROM range(30000)", "--json").quiet().stdout)
    assert [row["range"] for row in rows] == list(range(30000))


def test_the_query_from_stdin(table1: Path) -> None:
    query = "SELECT 'für' AS w, count(*) AS n FROM rule -- how many\n".encode()
    assert run_here("sql", table1, stdin=query).quiet().stdout == "w\tn\nfür\t18\n"
    assert run("sql", table1, stdin=query).quiet().stdout == "w\tn\nfür\t18\n"
    assert run_here("sql", table1, stdin=b"SELECT '\xff'").error.startswith(
        "the query is not UTF-8"
    )
    assert run_here("sql", table1, stdin=b"").error.startswith("the query gives no rows")


def test_macros_and_views(table1: Path) -> None:
    query = "SELECT c1, c2 FROM shared_contexts(1, 2)"
    assert run_here("sql", table1, query).quiet().lines == ["c1\tc2"]
    query = "SELECT count(*) AS n, sum(count) AS total FROM rule_text"
    assert run_here("sql", table1, query).quiet().lines == ["n\ttotal", "18\t9.0"]


WRITES = (
    "COPY rule TO '{out}'",
    "COPY (SELECT 1) TO '{out}' (FORMAT parquet)",
    "EXPORT DATABASE '{out}'",
    "ATTACH '{out}'",
    "ATTACH ':memory:' AS other",
    "FROM read_csv('{input}')",
    "FROM read_text('{input}')",
    "FROM read_blob('{input}')",
    "FROM read_parquet('{input}')",
    "FROM glob('{input}*')",
    "FROM '{input}'",
    "SET threads = 1",
    "SET enable_external_access = true",
    "SET lock_configuration = false",
    "RESET enable_external_access",
    "PRAGMA threads = 1",
    "INSTALL httpfs",
    "LOAD httpfs",
    "INSERT INTO glue VALUES (1, 1)",
    "UPDATE rule SET count = 0",
    "DELETE FROM rule",
    "DROP TABLE rule",
    "TRUNCATE rule",
    "ALTER TABLE rule ADD COLUMN x INTEGER",
    "CREATE TABLE x AS SELECT 1",
    "CREATE VIEW x AS SELECT 1",
    "CREATE OR REPLACE MACRO rules_of(x) AS 1",
    "SELECT 1; DELETE FROM rule",
    "BEGIN; DELETE FROM rule; COMMIT",
    "SELECT getenv('HOME')",
    "FROM sys",
)


@pytest.mark.parametrize("query", WRITES)
def test_a_query_can_do_nothing_but_read_the_store(
    table1: Path, tmp_path: Path, query: str
) -> None:
    (tmp_path / "input").write_text("a\nb\n")
    before, beside = digest(table1), names(table1.parent)
    query = query.format(out=tmp_path / "out", input=tmp_path / "input")
    assert run_here("sql", table1, query).error.startswith("query failed: ")
    assert names(tmp_path) == {"input"}
    assert (digest(table1), names(table1.parent)) == (before, beside)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("SELEC 1", 'query failed: Parser Error: syntax error at or near "SELEC"'),
        ("SELECT 1 +\n\n  FROM", "query failed: Parser Error: "),
        ("SELECT nosuch FROM rule", 'query failed: Binder Error: Referenced column "nosuch" not'),
        ("FROM nosuch", "query failed: Catalog Error: Table with name nosuch does not exist!"),
        ("SELECT 'x'::INTEGER", "query failed: Conversion Error: Could not convert string 'x'"),
        ("SELECT error('a\nb\x1b[31m')", "query failed: Invalid Input Error: a"),
        ("", "the query gives no rows: only SELECT and the like can be asked"),
        (";", "the query gives no rows: only SELECT and the like can be asked"),
        ("/* nothing */", "the query gives no rows: only SELECT and the like can be asked"),
        ("SELECT '\udcff'", "query failed: "),
    ],
)
def test_a_wrong_query_gives_one_line(table1: Path, query: str, message: str) -> None:
    error = run_here("sql", table1, query).error
    assert error.startswith(message)
    assert "\x1b" not in error


@pytest.mark.parametrize("form", READERS)
def test_an_error_in_the_middle_leaves_no_file(table1: Path, tmp_path: Path, form: str) -> None:
    file = tmp_path / f"out.{form}"
    late = "SELECT (CASE range WHEN 90000 THEN 'x' ELSE '1' END)::INTEGER AS n FROM range(100000)"
    message = "query failed: Conversion Error: Could not convert string 'x' to INT32"
    assert run_here("sql", table1, late, "-o", file).error == message
    assert names(tmp_path) == set()
    run_here("sql", table1, "SELECT 1 AS n", "-o", file).quiet()
    before = digest(file)
    assert run_here("sql", table1, late, "-o", file).error == message
    assert (names(tmp_path), digest(file)) == ({file.name}, before)


def test_where_the_output_goes(table1: Path, tmp_path: Path) -> None:
    def error(*arguments: object) -> str:
        return run_here("sql", table1, "SELECT 1 AS a", *arguments).error

    assert error("-o", tmp_path / "out").endswith(".csv, .json nor .parquet: add --format")
    assert error("-o", tmp_path / "out.txt", "--format", "table").startswith(
        "a table is for people"
    )
    assert error("-o", tmp_path / "no" / "out.csv").endswith("out.csv: No such file or directory")
    (tmp_path / "folder.csv").mkdir()
    assert error("-o", tmp_path / "folder.csv").endswith("folder.csv: Is a directory")
    assert error("-o", ".", "--format", "csv") == "cannot write .: Is a directory"
    twice = run_here("sql", table1, "SELECT 1 AS a, 2 AS a", "--json").error
    assert twice == "two columns are named 'a': rename one of them with AS"
    assert names(tmp_path) == {"folder.csv"}


def test_a_link_stays_a_link(table1: Path, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link.csv").symlink_to(tmp_path / "there" / "file.csv")
    for query in ("SELECT 1 AS a", "SELECT 2 AS a"):
        run_here("sql", table1, query, "-o", tmp_path / "link.csv").quiet()
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "there" / "file.csv").read_text() == "a\n2\n"


def test_a_pipe_is_written_to_and_not_replaced(table1: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    run_here("sql", table1, "SELECT 1 AS a", "-o", pipe, "--format", "csv").quiet()
    reader.join(timeout=60)
    assert read == ["a\n1\n"]
    assert pipe.is_fifo()


def test_a_full_disk(table1: Path) -> None:
    query = ("sql", table1, "SELECT 1 AS a", "--format")
    message = "cannot write /dev/full: No space left on device"
    for form in READERS:
        assert run_here(*query, form, "-o", "/dev/full").error == message
    assert Path("/dev/full").is_char_device()
