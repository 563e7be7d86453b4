"""Scores, held to counting pairs one by one and to all ways to deal out labels."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar_store.errors import InputError
from grammar_store.planted import TrueLabel, read_truth, score

QUICK = settings(deadline=None, max_examples=150)


def texts(size: int) -> list[str]:
    return [f"w{at} ||| x{at}" for at in range(size)]


def truth_for(labels: Sequence[str]) -> dict[str, TrueLabel]:
    return {
        text: TrueLabel(label, 1, 1) for text, label in zip(texts(len(labels)), labels, strict=True)
    }


def partitions(max_size: int) -> st.SearchStrategy[list[tuple[int, str]]]:
    return st.lists(
        st.tuples(st.integers(0, 3), st.sampled_from("ABC")), min_size=0, max_size=max_size
    )


def agreeing_pairs(classes: Sequence[int], labels: Sequence[str]) -> tuple[int, int, int, int]:
    """Pairs joined and alike, joined, alike, and all."""
    pairs = [
        (classes[a] == classes[b], labels[a] == labels[b])
        for a, b in combinations(range(len(labels)), 2)
    ]
    return (
        sum(joined and alike for joined, alike in pairs),
        sum(joined for joined, _ in pairs),
        sum(alike for _, alike in pairs),
        len(pairs),
    )


@QUICK
@given(partitions(30))
def test_precision_and_recall_pair_by_pair(rows: list[tuple[int, str]]) -> None:
    classes, labels = [row[0] for row in rows], [row[1] for row in rows]
    found = score(dict(zip(texts(len(rows)), classes, strict=True)), truth_for(labels))
    both, joined, alike, _ = agreeing_pairs(classes, labels)
    assert found.precision == (both / joined if joined else 1)
    assert found.recall == (both / alike if alike else 1)
    assert (found.phrase_pairs, found.unseen) == (len(rows), 0)
    assert (found.classes, found.labels) == (len(set(classes)), len(set(labels)))
    assert sum(wrong.pairs for wrong in found.wrong_merges) == joined - both


@settings(QUICK, max_examples=60)
@given(partitions(6))
def test_adjusted_rand_is_adjusted_for_chance(rows: list[tuple[int, str]]) -> None:
    """The Rand index less its mean over all ways to deal out the labels, 1 for the best."""
    classes, labels = [row[0] for row in rows], [row[1] for row in rows]

    def rand(dealt: Sequence[str]) -> Fraction:
        both, joined, alike, pairs = agreeing_pairs(classes, dealt)
        return Fraction(pairs - joined - alike + 2 * both, pairs)

    found = score(dict(zip(texts(len(rows)), classes, strict=True)), truth_for(labels))
    _, joined, alike, pairs = agreeing_pairs(classes, labels)
    if joined in (0, pairs) and joined == alike:
        assert found.adjusted_rand == 1  # the same, and there is no other way to deal
        return
    ways = [rand(dealt) for dealt in permutations(labels)]
    mean = sum(ways, Fraction(0)) / len(ways)
    # Hubert and Arabie take for the best that both index as many pairs as their mean.
    best = mean + Fraction(joined + alike, pairs) - Fraction(2 * joined * alike, pairs * pairs)
    assert found.adjusted_rand == pytest.approx(float((rand(labels) - mean) / (best - mean)))


@QUICK
@given(partitions(12))
def test_perfect_if_and_only_if_the_same(rows: list[tuple[int, str]]) -> None:
    classes, labels = [row[0] for row in rows], [row[1] for row in rows]
    found = score(dict(zip(texts(len(rows)), classes, strict=True)), truth_for(labels))
    same = len(set(rows)) == len(set(classes)) == len(set(labels))
    assert (found.adjusted_rand == 1) == same
    assert (found.precision == found.recall == 1) == same
    assert bool(found.wrong_merges) == (len(set(rows)) > len(set(classes)))


def test_adjusted_rand_by_hand() -> None:
    """Of 45 pairs 13 are joined, 14 alike, 7 both: (7 - 13*14/45) / (27/2 - 13*14/45)."""
    table = [[1, 1, 0], [1, 2, 1], [0, 0, 4]]
    rows = [(i, "ABC"[j]) for i in range(3) for j in range(3) for _ in range(table[i][j])]
    found = score(
        dict(zip(texts(10), [row[0] for row in rows], strict=True)),
        truth_for([row[1] for row in rows]),
    )
    assert found.adjusted_rand == pytest.approx(266 / 851, rel=1e-12)


def test_wrong_merges_by_hand() -> None:
    truth = {
        "Haus ||| house": TrueLabel("N", 5, 5),
        "Hut ||| hat": TrueLabel("N", 7, 7),
        "rot ||| red": TrueLabel("A", 3, 3),
        "alt ||| old": TrueLabel("A", 1, 1),
        "oft ||| often": TrueLabel("B", 1, 1),
        "nie ||| never": TrueLabel("B", 9, 9),
        "weg ||| away": TrueLabel("B", 9, 9),
    }
    partition = {
        "Haus ||| house": "X1",
        "Hut ||| hat": "X1",
        "rot ||| red": "X1",
        "alt ||| old": "X1",
        "oft ||| often": "X1",
        "nie ||| never": "X9",
        "das ||| the": "X9",  # of no label, so no matter
    }
    found = score(partition, truth)
    assert found.wrong_merges == (
        ("X1", "A", "N", 4, "rot ||| red", "Hut ||| hat"),
        ("X1", "A", "B", 2, "rot ||| red", "oft ||| often"),
        ("X1", "B", "N", 2, "oft ||| often", "Hut ||| hat"),
    )
    assert (found.phrase_pairs, found.unseen) == (6, 1)
    assert found.precision == 2 / 10
    assert found.recall == 2 / 3


def test_ambiguous_ones_can_be_left_out() -> None:
    truth = {
        "a ||| a": TrueLabel("A", 5, 5),
        "b ||| b": TrueLabel("A", 4, 4),
        "c ||| c": TrueLabel("B", 3, 4),
    }
    partition = dict.fromkeys(truth, 1)
    assert score(partition, truth).precision == pytest.approx(1 / 3)
    assert score(partition, truth, certain=0.75).phrase_pairs == 3
    assert score(partition, truth, certain=0.76).phrase_pairs == 2
    certain = score(partition, truth, certain=1)
    assert (certain.precision, certain.phrase_pairs, certain.unseen) == (1, 2, 0)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "is empty"),
        ("source\ttarget\n", 1, "the first line must be"),
        ("source\ttarget\tlabel\tcount\ttotal\na\tb\tA\t1\n", 2, "is not source, target"),
        ("source\ttarget\tlabel\tcount\ttotal\na\tb\tA\t1\tx\n", 2, "is not source, target"),
        ("source\ttarget\tlabel\tcount\ttotal\na\t\tA\t1\t1\n", 2, "is not source, target"),
        ("source\ttarget\tlabel\tcount\ttotal\n" + 2 * "a\tb\tA\t1\t1\n", 3, "has a label already"),
    ],
)
def test_refused_truth(tmp_path: Path, text: str, line: int | None, words: str) -> None:
    path = tmp_path / "truth.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=words) as problem:
        read_truth(path)
    assert problem.value.path == str(path)
    assert problem.value.line == line
