"""What goes with a rule table: glue rules, labels of unknown words, settings."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from commands import names

from grammar_store.export.companions import glue_rules, write_companions
from grammar_store.export.reading import read_rules
from grammar_store.export.rules import SCORES, UNKNOWN_SCHEMA, TranslationGrammar


def grammar_of(labels: list[str], unknown: dict[str, float] | None = None) -> TranslationGrammar:
    rows = [{"lhs": label, "source": "a", "target": "b", "features": [1.0] * 4} for label in labels]
    told = [{"label": label, "probability": p} for label, p in (unknown or {}).items()]
    return TranslationGrammar.of(rows, SCORES, unknown=pa.Table.from_pylist(told, UNKNOWN_SCHEMA))


def test_moses_has_glue_for_each_label_and_for_unknown_words() -> None:
    start = [
        "<s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||",
        "[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||",
    ]
    one, two, x = (
        f"[X][S] [X][{label}] [X] ||| [X][S] [X][{label}] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||"
        for label in ("X1", "X2", "X")
    )
    # Without a file that says otherwise, unknown words are X.
    assert glue_rules(grammar_of(["X1", "X2"]), "moses") == [*start, x, one, two]
    assert glue_rules(grammar_of(["X1"], {"X2": 1.0}), "moses") == [*start, one, two]


@pytest.mark.parametrize("form", ["moses", "joshua", "cdec"])
def test_the_top_is_no_label_and_glue_is_a_grammar(tmp_path: Path, form: str) -> None:
    labels = ["S", "GOAL", "A|B", "N'"]
    grammar = grammar_of(labels, {"S": 0.5, "A|B": 0.5})
    files = write_companions(grammar, tmp_path / "rules.gz", form)
    read = read_rules(tmp_path / "rules.glue", form)
    rows = read.rules().read_all().to_pylist()
    tops = {row["lhs"] for row in rows}
    assert len(tops) == 1
    assert not tops & set(labels)
    assert set(read.labels["label"].to_pylist()) == {*labels, *tops}
    others = {"rules.unknown-lhs", "rules.moses.ini"} if form == "moses" else set()
    assert names(tmp_path) == {"rules.glue", *others}
    assert {file.name for file in files} == names(tmp_path)


def test_settings_of_moses(tmp_path: Path) -> None:
    grammar = grammar_of(["X1", "X2", "X3"], {"X1": 0.25, "X2": 0.75})
    write_companions(grammar, tmp_path / "rules.gz", "moses")
    assert (tmp_path / "rules.unknown-lhs").read_text() == "X2 0.75\nX1 0.25\n"
    sections: dict[str, list[str]] = {}
    for line in (tmp_path / "rules.moses.ini").read_text().splitlines():
        if line.startswith("["):
            sections[line[1:-1]] = current = []
        elif line and not line.startswith("#"):
            current.append(line)
    assert sections["non-terminals"] == ["X"]
    assert sections["search-algorithm"] == sections["inputtype"] == ["3"]
    assert sections["unknown-lhs"] == [str(tmp_path / "rules.unknown-lhs")]
    assert len(sections["max-chart-span"]) == 2
    tables = [line.split() for line in sections["feature"] if "PhraseDictionaryMemory" in line]
    told = [dict(part.split("=") for part in parts[1:]) for parts in tables]
    assert [each["num-features"] for each in told] == ["4", "1"]
    assert [each["path"] for each in told] == [
        str(tmp_path / "rules.gz"),
        str(tmp_path / "rules.glue"),
    ]
    assert int(told[0]["table-limit"]) >= 20 * 3
    weights = dict(line.split("= ") for line in sections["weight"])
    assert len(weights["TranslationModel0"].split()) == 4
    assert weights.keys() == {
        *("UnknownWordPenalty0", "WordPenalty0", "TranslationModel0", "TranslationModel1")
    }
    write_companions(grammar, tmp_path / "rules.gz", "moses", ["p(e|f)"])
    assert (
        "num-features=1 path=" + str(tmp_path / "rules.gz")
        in (tmp_path / "rules.moses.ini").read_text()
    )
