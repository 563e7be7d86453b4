"""Filtering to sentences, against a plain search through all ways to place a rule."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rule_grammars import grammars

from grammar_store.errors import GrammarStoreError, OptionError
from grammar_store.export.filtering import Matcher, filtered, read_sentences
from grammar_store.export.formats import FORMATS, WriteOptions, write_rules
from grammar_store.export.reading import read_rules
from grammar_store.export.rules import TranslationGrammar, escape_word, parse_gap, unescape_word
from grammar_store.export.sentences import write_sentence_grammars

FEW = ("a", "b", "[X,1]")
sentences = st.lists(st.lists(st.sampled_from(FEW), max_size=7), min_size=1, max_size=4)
sources = st.lists(st.sampled_from((*FEW, "GAP", "GAP")), min_size=1, max_size=5)


def source_text(symbols: list[str]) -> str:
    number = 0
    words = []
    for symbol in symbols:
        if symbol == "GAP":
            number += 1
            words.append(f"[X,{number}]")
        else:
            words.append(escape_word(symbol))
    return " ".join(words)


def can_use(sentence: list[str], source: str) -> bool:
    """Whether some stretch of a sentence, cut into as many parts as symbols, is the source side."""

    def fits(symbols: list[str], start: int, end: int) -> bool:
        if not symbols:
            return start == end
        first, *rest = symbols
        if parse_gap(first):
            return any(fits(rest, cut, end) for cut in range(start + 1, end + 1))
        return (
            start < end and sentence[start] == unescape_word(first) and fits(rest, start + 1, end)
        )

    ends = range(len(sentence) + 1)
    return any(fits(source.split(" "), start, end) for start, end in product(ends, ends))


@settings(max_examples=300, deadline=None)
@given(sentences, sources)
def test_a_rule_is_found_where_it_can_be_placed(given: list[list[str]], symbols: list[str]) -> None:
    source = source_text(symbols)
    expected = [n for n, sentence in enumerate(given) if can_use(sentence, source)]
    assert Matcher(given).sentences_of(source) == expected


def small_grammar(rows: list[tuple[str, str]]) -> TranslationGrammar:
    return TranslationGrammar.of([{"lhs": "X", "source": s, "target": t} for s, t in rows])


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(grammars(most=20), st.data())
def test_filtered_and_unfiltered_give_the_same_grammars_of_sentences(
    tmp_path_factory: pytest.TempPathFactory, grammar: TranslationGrammar, data: Any
) -> None:
    folder = tmp_path_factory.mktemp("sentences")
    rules = grammar.rules().read_all().to_pylist()
    # Sentences made of rules, so that some can be used.
    few = st.lists(st.sampled_from(rules), max_size=3) if rules else st.just([])
    chosen = data.draw(st.lists(few, min_size=1, max_size=3))
    given = [
        [unescape_word(symbol) for rule in each for symbol in rule["source"].split(" ")]
        for each in chosen
    ]
    options = WriteOptions(features=grammar.feature_names, threads=1)
    form = data.draw(st.sampled_from(FORMATS))
    whole, part = folder / "whole", folder / "part"
    number = write_sentence_grammars(grammar, given, whole, form, options)
    kept = filtered(grammar, Matcher(given))
    assert write_sentence_grammars(kept, given, part, form, options) == number
    expected = 0
    for at, sentence in enumerate(given):
        name = f"grammar.{at}.gz"
        texts = [gzip.decompress((place / name).read_bytes()) for place in (whole, part)]
        assert texts[0] == texts[1]
        usable = [rule for rule in rules if can_use(sentence, rule["source"])]
        assert texts[0].count(b"\n") == len(usable)
        expected += len(usable)
    assert number == expected
    used = [rule for rule in rules if any(can_use(words, rule["source"]) for words in given)]
    found = kept.rules().read_all().to_pylist()
    assert sorted(map(repr, found)) == sorted(map(repr, used))


def test_files_are_named_by_sentence_and_can_be_read(tmp_path: Path) -> None:
    grammar = small_grammar([("das [X,1]", "the [X,1]"), ("Haus", "house"), ("Auto", "car")])
    given = [["ein", "Haus"], [], ["nichts"], ["das", "Haus"]]
    assert write_sentence_grammars(grammar, given, tmp_path / "x", "joshua") == 3
    names = {path.name for path in (tmp_path / "x").iterdir()}
    assert names == {*(f"grammar.{n}.gz" for n in range(4)), "grammar.signature.json"}
    sizes = [
        read_rules(tmp_path / "x" / f"grammar.{n}.gz", "joshua").rules().read_all().num_rows
        for n in range(4)
    ]
    assert sizes == [1, 0, 0, 2]


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "mine").write_text("mine")
    with pytest.raises(GrammarStoreError, match="exists already"):
        write_sentence_grammars(small_grammar([("a", "b")]), [["a"]], tmp_path / "x", "cdec")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x" / "mine").read_text() == "mine"


def test_no_sentence_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no sentence"):
        write_sentence_grammars(small_grammar([("a", "b")]), [], tmp_path / "x", "cdec")


def test_a_filtered_table_is_the_part_of_the_table(tmp_path: Path) -> None:
    grammar = small_grammar([("das [X,1]", "the [X,1]"), ("Haus", "house"), ("Auto", "car")])
    test = tmp_path / "test"
    test.write_bytes(gzip.compress(b"das  Haus \n\nein Haus\r\n"))
    matcher = Matcher(read_sentences(test))
    assert write_rules(grammar, tmp_path / "all", "cdec") == 3
    assert write_rules(filtered(grammar, matcher), tmp_path / "part", "cdec") == 2
    lines = (tmp_path / "all").read_text().splitlines()
    part = (tmp_path / "part").read_text().splitlines()
    assert part == [line for line in lines if "Auto" not in line]
