"""Exports of a store: stored rules, tables, graphs, and grammars that come in from elsewhere."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import networkx as nx
import pyarrow.parquet as pq
import pytest
from commands import write_bitext
from hypothesis import HealthCheck, given, settings
from rule_grammars import grammars

import grammar_store as gs
from grammar_store.errors import InputError, NotInStoreError, OptionError
from grammar_store.export.exporting import ExportRequest, export
from grammar_store.export.foreign import import_rules
from grammar_store.export.formats import WriteOptions, write_rules
from grammar_store.export.graphs import write_graph
from grammar_store.export.reading import read_rules
from grammar_store.export.rules import TranslationGrammar, parse_gap
from grammar_store.export.stored import stored_rules
from grammar_store.facade import Store

HOSTILE = {
    "source": "das [NP,1] Haus\n[X1,1] das Haus\n[_] Haus\ndas Haus\n",
    "target": "the [NP,1] house\n[X1,1] the house\n[_] house\nthe house\n",
    "alignment": "0-0 1-1 2-2\n0-0 1-1 2-2\n0-0 1-1\n0-0 1-1\n",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("hostile")
    opened = gs.open(folder / "x.duckdb")
    opened.build(*write_bitext(folder, HOSTILE), max_gaps=2)
    session = opened.session("s")
    session.merge("das ||| the", "[NP,1] ||| [NP,1]")
    session.merge("das ||| the", r"[\X1,1] ||| [\X1,1]")
    return opened


def rows_of(grammar: TranslationGrammar) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = grammar.rules().read_all().to_pylist()
    return rows


def gap_points(row: dict[str, Any]) -> str:
    source, target = ([parse_gap(s) for s in row[side].split(" ")] for side in ("source", "target"))
    return " ".join(f"{i}-{target.index(gap)}" for i, gap in enumerate(source) if gap)


def target_side(row: dict[str, Any]) -> tuple[str, ...]:
    """What a decoder that looks from the target side sees: the label on the left, words, labels."""
    gaps = [(symbol, parse_gap(symbol)) for symbol in row["target"].split(" ")]
    return row["lhs"], *(f"[{gap[0]}]" if gap else symbol for symbol, gap in gaps)


def expected_rules(store: Store, session: str | None) -> Counter[tuple[str, str, str]]:
    """The rules of a store, from its tables in plain Python."""
    leader = {n: n for (n,) in store.sql("SELECT nonterminal_id FROM nonterminal").fetchall()}
    if session is not None:
        leader = dict(store.sql("FROM classes_at($s)", s=session).fetchall())
    texts = store.sql("SELECT nonterminal_id, source, target, count FROM nonterminal").fetchall()
    sizes: dict[int, int] = defaultdict(int)
    for n, _, _, count in texts:
        sizes[leader[n]] += count
    order = sorted(sizes, key=lambda n: (-sizes[n], n))
    label = {n: f"X{order.index(leader[n]) + 1}" for n in leader}

    def side(text: str, fillers: list[int]) -> str:
        words = []
        for symbol in text.split(" "):
            gap = parse_gap(symbol)
            if gap and gap[0].removeprefix("X").isdigit() and gap[0][0] == "X":
                words.append(f"[{label[fillers[gap[1] - 1]]},{gap[1]}]")
            elif gap:  # a word, which is not escaped in a store
                words.append(symbol.replace("[", "[\\"))
            else:
                words.append(symbol)
        return " ".join(words)

    found: Counter[tuple[str, str, str]] = Counter()
    slots: dict[int, list[int]] = defaultdict(list)
    for rule, filler in store.sql(
        "SELECT rule_id, nonterminal_id FROM slot ORDER BY rule_id, position"
    ).fetchall():
        slots[rule].append(filler)
    for rule, lhs, source, target, count in store.sql(
        "SELECT rule_id, lhs_id, source, target, count FROM rule_text"
    ).fetchall():
        found[label[lhs], side(source, slots[rule]), side(target, slots[rule])] += count
    return found


@pytest.mark.parametrize("session", [None, "s"])
def test_stored_rules_are_those_of_the_tables(store: Store, session: str | None) -> None:
    grammar = stored_rules(store, session)
    rows = rows_of(grammar)
    found = {(row["lhs"], row["source"], row["target"]): row["count"] for row in rows}
    assert len(found) == len(rows)
    assert found == pytest.approx(expected_rules(store, session))
    assert any(r"[\NP,1]" in row["source"] for row in rows)
    assert [row["alignment"] for row in rows] == [gap_points(row) for row in rows]
    sources: Counter[str] = Counter()
    targets: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        sources[row["source"]] += row["count"]
        targets[target_side(row)] += row["count"]
    for row in rows:
        given_target = row["features"][grammar.feature_names.index("p(f|e)")]
        assert given_target == pytest.approx(row["count"] / targets[target_side(row)])
        assert row["target_count"] == pytest.approx(targets[target_side(row)])
        given_source = row["features"][grammar.feature_names.index("p(e|f)")]
        assert given_source == pytest.approx(row["count"] / sources[row["source"]])
        assert row["source_count"] == pytest.approx(sources[row["source"]])
    used = {row["lhs"] for row in rows}
    assert used <= set(grammar.labels["label"].to_pylist())


def test_a_target_side_is_the_same_whichever_gap_is_which(tmp_path: Path) -> None:
    text = {
        "source": "w a b\nw a b\nw a b\n",
        "target": "z x y\nz x y\nz y x\n",
        "alignment": "0-0 1-1 2-2\n0-0 1-1 2-2\n0-0 1-2 2-1\n",
    }
    store = gs.open(tmp_path / "x.duckdb")
    store.build(*write_bitext(tmp_path, text), max_gaps=2)
    session = store.session("s")
    session.merge("a ||| x", "b ||| y")
    session.merge("w a b ||| z x y", "w a b ||| z y x")
    crossing = {
        row["alignment"]: row
        for row in rows_of(stored_rules(store, "s"))
        if row["source"].startswith("w [") and row["target"].count("[") == 2
    }
    assert sorted(crossing) == ["1-1 2-2", "1-2 2-1"]
    total = sum(row["count"] for row in crossing.values())
    for row in crossing.values():
        assert row["features"][0] == pytest.approx(row["count"] / total)


def test_steps_of_a_session(store: Store) -> None:
    first = rows_of(stored_rules(store, "s", 0))
    assert sorted(map(str, first)) == sorted(map(str, rows_of(stored_rules(store))))
    assert stored_rules(store, "s", 1).labels.num_rows == len(store) - 1
    with pytest.raises(NotInStoreError, match="no session 'none'"):
        stored_rules(store, "none")
    with pytest.raises(OptionError, match="name the session"):
        stored_rules(store, at=1)


def test_rules_over_word_classes_are_no_rules_for_decoders(tmp_path: Path) -> None:
    files = write_bitext(tmp_path)
    (tmp_path / "classes").write_text("das\t2\nneue\t3\nHaus\t2\n")
    opened = gs.open(tmp_path / "x.duckdb")
    opened.build(*files, source_classes=tmp_path / "classes")
    with pytest.raises(OptionError, match="over word classes"):
        stored_rules(opened)


def test_tables(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "rules.parquet"
    report = export(store, path, ExportRequest("parquet"))
    table = pq.read_table(path)
    assert report.rows == table.num_rows == store.info()["rules"]
    assert table.schema.metadata[b"grammar_store.signature"].decode() == report.signature
    assert report.signature.startswith(store.info()["signature"])
    path = tmp_path / "merged.csv"
    export(store, path, ExportRequest("csv", session="s"))
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = store.sql("SELECT source, target FROM merged_rule WHERE session = 's'").fetchall()
    assert Counter((row["source"], row["target"]) for row in rows) == Counter(wanted)
    said = json.loads((tmp_path / "merged.csv.signature.json").read_text())
    assert said["signature"].endswith("|session=s")
    export(store, path, ExportRequest("csv", table="nonterminal"))
    assert path.read_text().count("\n") == 1 + len(store)
    with pytest.raises(NotInStoreError, match="no table or view 'x'"):
        export(store, path, ExportRequest("csv", table="x"))
    with pytest.raises(OptionError, match="cannot hold the lists"):
        export(store, path, ExportRequest("csv", table="class_leaders"))
    assert path.read_text().count("\n") == 1 + len(store)


def test_rules_as_a_table(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "rules.csv.gz"
    export(store, path, ExportRequest("csv", grammar="stored", session="s"))
    export(store, tmp_path / "rules.parquet", ExportRequest("parquet", grammar="hiero"))
    columns = pq.read_schema(tmp_path / "rules.parquet").names
    assert columns[:4] == ["lhs", "source", "target", "alignment"]
    assert {"p(e|f)", "lex(e|f)"} <= set(columns)


def test_graphs(store: Store, tmp_path: Path) -> None:
    wanted = store.graph("Haus ||| house", hops=2)
    path = tmp_path / "g.graphml"
    report = export(store, path, ExportRequest("graphml", center="Haus ||| house"))
    graph = nx.read_graphml(path)
    assert dict(graph.nodes.data()) == dict(wanted.nodes.data())
    assert graph.graph["signature"] == report.signature
    export(store, tmp_path / "g.json", ExportRequest("json", session="s"))
    data = json.loads((tmp_path / "g.json").read_text())
    again = nx.node_link_graph(data, edges="edges")
    assert set(again) == set(store.graph(session="s"))
    export(store, tmp_path / "g.dot", ExportRequest("dot", center="Haus ||| house"))
    text = (tmp_path / "g.dot").read_text()
    assert text.count(" -> ") == wanted.number_of_edges()


def test_a_graph_with_hostile_text(tmp_path: Path) -> None:
    graph = nx.MultiDiGraph()
    labels = ["\x01\x1b", 'a"b\\', "<&>'", "\u2028\u202e\U0001f600", "]]>"]
    for number, label in enumerate(labels):
        graph.add_node(f"X{number}", label=label)
    graph.add_edge("X0", "X1", label=labels[2])
    write_graph(graph, tmp_path / "g.graphml", "graphml", "a\nb")
    found = nx.read_graphml(tmp_path / "g.graphml")
    assert [about["label"] for about in found.nodes.values()] == [r"\x01\x1b", *labels[1:]]
    write_graph(graph, tmp_path / "g.json", "json", "a\nb")
    data = json.loads((tmp_path / "g.json").read_text())
    assert [node["label"] for node in data["nodes"]] == labels
    write_graph(graph, tmp_path / "g.dot", "dot", "a\n}b")
    assert (tmp_path / "g.dot").read_text().startswith("// a\n// }b\ndigraph {\n")
    assert graph.nodes["X0"]["label"] == labels[0], "the graph given is left as it was"
    assert "signature" not in graph.graph


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (ExportRequest("tex"), "no format 'tex'"),
        (ExportRequest("moses", grammar="x"), "no grammar 'x'"),
        (ExportRequest("moses", at=1), "name the session"),
        (ExportRequest("dot", grammar="hiero"), "for rules"),
        (ExportRequest("csv", test=Path("x")), "for rules"),
        (ExportRequest("cdec", per_sentence=Path("x")), "need the test set"),
        (ExportRequest("moses", table="rule"), "parquet or csv"),
        (ExportRequest("csv", center="X1"), "for graphs"),
        (ExportRequest("moses", grammar="stored", extraction={"preset": "moses"}), "hiero"),
    ],
)
def test_what_does_not_go_together(store: Store, request_: ExportRequest, said: str) -> None:
    with pytest.raises(OptionError, match=said):
        export(store, "x", request_)


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(grammars(most=30))
def test_any_grammar_becomes_a_sound_store(
    tmp_path_factory: pytest.TempPathFactory, grammar: TranslationGrammar
) -> None:
    """Its rules come out as they went in, but for those that differ in their links alone."""
    folder = tmp_path_factory.mktemp("imported")
    table, path = folder / "rules", folder / "x.duckdb"
    write_rules(grammar, table, "moses", WriteOptions(features=grammar.feature_names))
    read = rows_of(read_rules(table, "moses"))
    report = import_rules(table, "moses", path)
    with gs.open(path, read_only=True) as opened:
        assert opened.check() == []
        found = rows_of(stored_rules(opened))
    assert report.given_rules == len(read)
    wanted: Counter[tuple[str, str, str]] = Counter()
    for row in read:
        count = 1.0 if row["count"] is None else row["count"]
        wanted[row["lhs"], row["source"], row["target"]] += count
    key = {(row["lhs"], row["source"], row["target"]): row["count"] for row in found}
    assert len(key) == len(found)
    assert key == pytest.approx(dict(wanted))
    assert [row["alignment"] for row in found] == [gap_points(row) for row in found]


JOSHUA = """\
[NP] ||| Haus ||| house ||| c=4
[NP] ||| Auto ||| car ||| c=2
[VP] ||| Haus ||| house ||| c=1
[NP] ||| das [NP,1] ||| the [NP,1] ||| c=3
[S] ||| [NP,1] [VP,2] ||| [VP,2] [NP,1] ||| c=2.5
[S] ||| [VP,1] [NP,2] ||| [NP,2] [VP,1] ||| c=1
"""


def test_a_small_grammar_in_a_store(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(JOSHUA)
    path = tmp_path / "x.duckdb"
    report = import_rules(tmp_path / "rules", "joshua", path, count_from="c")
    # 3 labels and 2 phrase pairs; 6 rules and 2 lexical ones.
    assert (report.labels, report.nonterminals, report.rules, report.contexts) == (3, 5, 8, 6)
    with gs.open(path) as opened:
        assert opened.check() == []
        counts = dict(opened.sql("SELECT source, count FROM nonterminal").fetchall())
        assert counts == {"[NP]": 9, "[VP]": 1, "[S]": 4, "Haus": 5, "Auto": 2}
        assert opened["[NP] ||| [NP]"].name == "X1"
        features = opened.sql("SELECT sum(features[1]) FROM imported_rule").fetchall()
        assert features == [(13.5,)]
        session = opened.session("one")
        session.merge("[NP] ||| [NP]", "[VP] ||| [VP]")
        export(opened, tmp_path / "out", ExportRequest("cdec", session="one", grammar="stored"))
        assert opened.check() == []
        graph = opened.graph("[S] ||| [S]", hops=2)
        assert {"[NP] ||| [NP]", "[VP] ||| [VP]"} <= {
            label for _, label in graph.nodes(data="label")
        }
        with pytest.raises(OptionError, match="no bitext"):
            export(opened, tmp_path / "no", ExportRequest("cdec"))
    lines = (tmp_path / "out").read_text().splitlines()
    assert [line.partition(" ||| p(")[0] for line in lines] == [
        "[NP] ||| Auto ||| car",
        "[NP] ||| Haus ||| house",
        "[S] ||| [NP,1] [NP,2] ||| [NP,2] [NP,1]",
        "[NP] ||| das [NP,1] ||| the [NP,1]",
    ]


FIVE = "[X,1] [X,2] [X,3] [X,4] [X,5]"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[X] ||| a ||| b ||| c=0", "counts must be above 0"),
        ("[X] ||| a ||| b ||| c=-1", "counts must be above 0"),
        (f"[X] ||| {FIVE} ||| {FIVE} ||| c=1", "at most 4"),
        ("[X] ||| &#91;X&#93; ||| &#91;X&#93; ||| c=1", "is a label and also"),
    ],
)  # fmt: skip
def test_what_cannot_be_imported_leaves_no_store(tmp_path: Path, line: str, said: str) -> None:
    (tmp_path / "rules").write_text(f"[X] ||| x ||| y ||| c=1\n{line}\n")
    with pytest.raises(InputError, match=said):
        import_rules(tmp_path / "rules", "joshua", tmp_path / "x.duckdb", count_from="c")
    assert [path.name for path in tmp_path.iterdir()] == ["rules"]


def test_a_store_with_sessions_is_replaced_only_by_force(tmp_path: Path) -> None:
    (tmp_path / "rules").write_text(JOSHUA)
    path = tmp_path / "x.duckdb"
    import_rules(tmp_path / "rules", "joshua", path)
    with gs.open(path) as opened:
        opened.session("one")
    with pytest.raises(gs.errors.StoreError, match="1 session"):
        import_rules(tmp_path / "rules", "joshua", path)
    import_rules(tmp_path / "rules", "joshua", path, force=True)
    with pytest.raises(OptionError, match="no feature 'x'"):
        import_rules(tmp_path / "rules", "joshua", path, count_from="x")
