"""Labels, worked out by hand: with a session and without, on words and on word classes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from strategies import Sentence
from translation.word_stores import built, rows_of

import grammar_store as gs
from grammar_store.errors import NotInStoreError, OptionError, SessionError, StoreError
from grammar_store.export.rules import TranslationGrammar
from grammar_store.facade import Store
from grammar_store.translation import label_substitution, translation_grammar

LINKS = frozenset({(0, 0), (1, 1)})
SENTENCES: list[Sentence] = [
    (("das", "Haus"), ("the", "house"), LINKS),
    (("das", "Auto"), ("the", "car"), LINKS),
    (("ein", "Auto"), ("a", "car"), LINKS),
]
THIRD = Fraction(1, 3)

# Each phrase pair of two words spreads its 1 over itself and one gap on either side. The class of
# house and car is the largest with 3, then comes das with 2, then those of 1 by their ids: das
# Auto, das Haus, ein and ein Auto.
MERGED = {
    ("X1", "Haus", "house"): 1,
    ("X1", "Auto", "car"): 2,
    ("X2", "das", "the"): 2,
    ("X5", "ein", "a"): 1,
    ("X3", "das Auto", "the car"): THIRD,
    ("X3", "das [X1,1]", "the [X1,1]"): THIRD,
    ("X3", "[X2,1] Auto", "[X2,1] car"): THIRD,
    ("X4", "das Haus", "the house"): THIRD,
    ("X4", "das [X1,1]", "the [X1,1]"): THIRD,
    ("X4", "[X2,1] Haus", "[X2,1] house"): THIRD,
    ("X6", "ein Auto", "a car"): THIRD,
    ("X6", "ein [X1,1]", "a [X1,1]"): THIRD,
    ("X6", "[X5,1] Auto", "[X5,1] car"): THIRD,
}


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a store with a session that has merged house and car."""
    path = tmp_path_factory.mktemp("translation") / "store.duckdb"
    with built(path, SENTENCES) as store:
        store.session("nouns").merge("Haus ||| house", "Auto ||| car")
    return path.read_bytes()


@pytest.fixture
def store(content: bytes, tmp_path: Path) -> Iterator[Store]:
    """Such a store, for one test."""
    path = tmp_path / "store.duckdb"
    path.write_bytes(content)
    with gs.open(path) as store:
        yield store


def counts(grammar: TranslationGrammar) -> dict[tuple[str, str, str], float]:
    return {(row["lhs"], row["source"], row["target"]): row["count"] for row in rows_of(grammar)}


def test_labels_are_classes_by_size(store: Store) -> None:
    grammar = translation_grammar(store, "nouns")
    assert counts(grammar) == pytest.approx({rule: float(c) for rule, c in MERGED.items()})
    assert grammar.labels.to_pydict() == {
        "label": ["X1", "X2", "X3", "X4", "X5", "X6"],
        "count": [3, 2, 1, 1, 1, 1],
    }


def test_features_by_hand(store: Store) -> None:
    rows = {
        (row["lhs"], row["source"]): row for row in rows_of(translation_grammar(store, "nouns"))
    }
    row = rows["X3", "das [X1,1]"]
    # Its source side is seen as X3 and as X4; a third each of one phrase pair. As a target side of
    # X3 it is seen once, and X3 has three rules of a third.
    assert row["source_count"] == pytest.approx(2 / 3)
    assert row["target_count"] == pytest.approx(1 / 3)
    assert [row["p(f|e)"], row["p(e|f)"], row["p(r|lhs)"]] == pytest.approx([1, 1 / 2, 1 / 3])
    assert rows["X1", "Auto"]["p(r|lhs)"] == pytest.approx(2 / 3)
    assert row["alignment"] == "0-0 1-1"


def test_unknown_words_are_like_words_seen_once(store: Store) -> None:
    unknown = translation_grammar(store, "nouns").unknown.to_pydict()
    assert unknown == {"label": ["X1", "X5"], "probability": [0.5, 0.5]}
    plain = translation_grammar(store).unknown.to_pydict()
    assert plain == {"label": ["X"], "probability": [1.0]}


def test_no_word_is_seen_once(tmp_path: Path) -> None:
    with built(tmp_path / "twice.duckdb", [*SENTENCES, *SENTENCES]) as store:
        store.session("nouns").merge("Haus ||| house", "Auto ||| car")
        unknown = translation_grammar(store, "nouns").unknown.to_pydict()
    assert unknown["label"] == ["X1", "X2", "X5"]
    assert unknown["probability"] == pytest.approx([1 / 2, 1 / 3, 1 / 6])


def test_without_a_session_everything_is_x(store: Store) -> None:
    grammar = translation_grammar(store)
    rules = counts(grammar)
    assert rules["X", "das [X,1]", "the [X,1]"] == pytest.approx(2 / 3)
    assert rules["X", "[X,1] Auto", "[X,1] car"] == pytest.approx(2 / 3)
    assert len(rules) == 4 + 3 + 4
    assert grammar.labels.to_pydict() == {"label": ["X"], "count": [9]}


def test_an_older_step(store: Store) -> None:
    rules = counts(translation_grammar(store, "nouns", at=0))
    # By count, then id: car, das; Haus, das Auto, das Haus, ein, ein Auto.
    assert rules["X4", "das [X1,1]", "the [X1,1]"] == pytest.approx(1 / 3)
    assert rules["X5", "das [X3,1]", "the [X3,1]"] == pytest.approx(1 / 3)
    store.session("nouns").merge("das ||| the", "ein ||| a")
    assert counts(translation_grammar(store, "nouns", at=1)) == pytest.approx(
        {rule: float(c) for rule, c in MERGED.items()}
    )
    with pytest.raises(SessionError, match="there is no step 7"):
        translation_grammar(store, "nouns", at=7)


def test_closed_sessions_branches_and_stores_for_reading(store: Store) -> None:
    expected = rows_of(translation_grammar(store, "nouns"))
    session = store.session("nouns")
    branch = session.branch("other")
    branch.merge("das ||| the", "ein ||| a")
    session.close()
    assert rows_of(translation_grammar(store, session)) == expected
    assert rows_of(translation_grammar(store, "other", at=1)) == expected
    assert rows_of(translation_grammar(store, branch)) != expected
    store.close()
    with gs.open(store.path, read_only=True) as again:
        assert rows_of(translation_grammar(again, "nouns")) == expected


def test_a_session_of_another_store(store: Store, content: bytes, tmp_path: Path) -> None:
    copy = tmp_path / "copy.duckdb"
    copy.write_bytes(content)
    with gs.open(copy) as other, pytest.raises(OptionError, match="of another store"):
        translation_grammar(store, other.session("nouns"))


def test_only_the_largest_classes(store: Store) -> None:
    grammar = translation_grammar(store, "nouns", max_labels=2)
    rules = counts(grammar)
    assert rules["X0", "das [X1,1]", "the [X1,1]"] == pytest.approx(2 / 3)
    assert rules["X0", "[X0,1] Auto", "[X0,1] car"] == pytest.approx(1 / 3)
    assert grammar.labels.to_pydict() == {"label": ["X0", "X1", "X2"], "count": [4, 3, 2]}


def test_phrase_pairs_that_the_store_does_not_know(tmp_path: Path) -> None:
    with built(tmp_path / "store.duckdb", SENTENCES, max_length=1) as store:
        store.session("words")
        rules = counts(translation_grammar(store, "words"))
    assert rules["X0", "das Haus", "the house"] == pytest.approx(1 / 3)
    assert rules["X2", "das", "the"] == 2


def test_word_classes_of_the_store(tmp_path: Path) -> None:
    classes: dict[str, Any] = {
        "source_classes": [("D", "N")] * 3,
        "target_classes": [("d", "n")] * 3,
    }
    with built(tmp_path / "store.duckdb", SENTENCES, **classes) as store:
        store.session("none")
        rules = counts(translation_grammar(store, "none"))
        # All three classes are seen three times: D, D N, N.
        assert rules["X2", "das [X3,1]", "the [X3,1]"] == pytest.approx(2 / 3)
        assert rules["X2", "[X1,1] Auto", "[X1,1] car"] == pytest.approx(2 / 3)
        assert rules["X3", "Haus", "house"] == 1
        assert len(rules) == 4 + 3 + 4


def test_the_rules_are_the_same_for_any_number_of_threads(sample: Path) -> None:
    with gs.open(sample, read_only=True) as store:
        one, three = (
            translation_grammar(store, threads=threads).rules().read_all() for threads in (1, 3)
        )
    assert one.num_rows > 10_000
    assert one == three


def test_words_that_look_like_gaps(tmp_path: Path) -> None:
    words: list[Sentence] = [(("[X,1]", "[X1,1]"), ("[_]", r"[\X]"), LINKS)]
    with built(tmp_path / "store.duckdb", words) as store:
        store.session("none")
        rules = counts(translation_grammar(store))
        labelled = counts(translation_grammar(store, "none"))
    assert ("X", r"[\X,1] [X,1]", r"[\_] [X,1]") in rules
    assert ("X", r"[\X,1] [\X1,1]", r"[\_] [\X]") in rules
    # In the store their texts are in this order: [X,1], both words, [\X1,1].
    assert ("X1", r"[\X,1]", r"[\_]") in labelled
    assert ("X2", r"[X1,1] [\X1,1]", r"[X1,1] [\X]") in labelled


class TestSubstitution:
    def test_it_is_the_dissimilarity_of_classes(self, sample: Path, tmp_path: Path) -> None:
        copy = tmp_path / "store.duckdb"
        copy.write_bytes(sample.read_bytes())
        with gs.open(copy) as store:
            session = store.session("mine")
            session.merge("Haus ||| house", "Auto ||| car")
            session.merge("das ||| the", "die ||| the")
            table = label_substitution(store, "mine", max_labels=4)
            assert len(table) == 4 * 3
            leaders = session.classes(limit=4)["leader"].tolist()
            labels = {f"X{place}": leader for place, leader in enumerate(leaders, start=1)}
            state = session.at()
            for row in table.itertuples():
                verdict = state.compare(labels[row.label], labels[row.other])
                assert row.d == pytest.approx(verdict.dissimilarity, rel=1e-5)
                # The level at which two classes of this dissimilarity begin to differ.
                if row.weight < 1:
                    assert -0.5 * float(np.log(row.weight / 2)) == pytest.approx(row.d)
                else:
                    assert row.d <= np.log(2) / 2

    def test_more_labels_than_can_be_compared(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert len(label_substitution(store, "nouns")) == 6 * 5
        assert len(label_substitution(store, "nouns", at=0)) == 7 * 6
        monkeypatch.setattr("grammar_store.translation.substitution._MOST", 5)
        with pytest.raises(OptionError, match="6 labels have 30 pairs"):
            label_substitution(store, "nouns")


def test_a_store_without_its_bitext(store: Store) -> None:
    with store.database.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM bitext")
    with pytest.raises(StoreError, match="holds no bitext to extract rules from"):
        translation_grammar(store)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"session": "verbs"}, NotInStoreError, "no session 'verbs'"),
        ({"at": 1}, OptionError, "without a session"),
        ({"max_labels": 3}, OptionError, "without a session"),
        ({"session": "nouns", "max_labels": -1}, OptionError, "max_labels must be"),
        ({"smoothing": "kneser"}, OptionError, "smoothing must be one of"),
        ({"counting": "type"}, OptionError, "counts per occurrence"),
        ({"preset": "joshua"}, OptionError, "no preset 'joshua'"),
        ({"max_gap": 3}, OptionError, "no option 'max_gap'"),
    ],
)
def test_what_cannot_be_asked(
    store: Store, given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        translation_grammar(store, **given)
