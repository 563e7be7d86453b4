"""What a verdict tells: the paper's example, a failure further up, and words for people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commands import run_here, write_bitext

import grammar_store as gs
from grammar_store.errors import NotInStoreError, OptionError, PrunedError
from grammar_store.facade import Store
from grammar_store.statistics import theta


@pytest.fixture(scope="module")
def table1(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("table1")
    store = gs.open(folder / "table1.duckdb")
    store.build(*write_bitext(folder))
    return store


@pytest.fixture(scope="module")
def deep(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """a and b differ only in what stands above them.

    "a c d" is seen 200 times, so (a c) has C = 200 and fills (_ d) with 200/6: 1/6 of it. (b c)
    never does: D = 100 (1/6)^2 = 2.78. For a itself, C = 3200, the shares are too small to fail.
    """
    folder = tmp_path_factory.mktemp("deep")
    lines = 200 * ["a c d ||| x z w ||| 0-0 1-1 2-2"]
    lines += 200 * ["b c e ||| y z v ||| 0-0 1-1 2-2"]
    lines += 3000 * ["a ||| x ||| 0-0", "b ||| y ||| 0-0"]
    (folder / "deep.txt").write_text("\n".join(lines) + "\n")
    store = gs.open(folder / "deep.duckdb")
    store.build(folder / "deep.txt")
    return store


def test_the_example_of_the_paper(table1: Store) -> None:
    verdict = table1.compare("neue Haus ||| new house", "Haus ||| house", alpha=0.05)
    rows = {row.source: row for row in verdict.comparisons.itertuples()}
    shared = rows["das [_]"]
    assert (shared.big_c1, shared.big_c2) == (1, 2)
    assert (shared.p1, shared.p2) == pytest.approx((1 / 6, 1 / 6))
    assert {source for source, row in rows.items() if row.p1 == 0} == {"neue [_]", "das neue [_]"}
    assert len(rows) == 3
    assert verdict
    assert verdict.insufficient
    assert "too few observations" in str(verdict)


def test_a_failure_further_up(deep: Store) -> None:
    verdict = deep.compare("a ||| x", "b ||| y", alpha=0.01)
    assert not verdict
    assert not verdict.insufficient
    assert verdict.deciding is not None
    assert verdict.deciding.depth == 1
    assert verdict.deciding.context == "[_] d | [_] w"
    assert verdict.dissimilarity == pytest.approx(100 / 36)
    (step,) = verdict.path
    assert (step.first.source, step.second.source, step.source) == ("a", "b", "[_] c")
    told = str(verdict)
    assert "share [_] c | [_] z" in told
    assert "[_] d | [_] w: 1/6 against 0" in told
    assert verdict.flips_at == pytest.approx(2 * np.exp(-2 * 100 / 36))
    assert deep.compare("a ||| x", "b ||| y", alpha=verdict.flips_at * 0.99)
    assert not deep.compare("a ||| x", "b ||| y", alpha=verdict.flips_at * 1.01)


def test_a_matrix_as_numbers_and_as_a_table(deep: Store) -> None:
    names = ["a ||| x", "b ||| y", "a c ||| x z"]
    found = deep.dissimilarities(names=names)
    assert found.matrix.dtype == np.float32
    assert np.array_equal(found.matrix, found.matrix.T)
    assert found.matrix[0, 1] == pytest.approx(100 / 36)
    rows = found.to_arrow().to_pylist()
    assert [row["dissimilarity"] for row in rows] == found.matrix[np.triu_indices(3, 1)].tolist()
    assert rows[0]["first_id"] == deep["a ||| x"].id
    with pytest.raises(OptionError, match="either top"):
        deep.dissimilarities()


def test_a_picture(deep: Store, tmp_path: Path) -> None:
    verdict = deep.compare("a ||| x", "b ||| y")
    figure = verdict.plot(most=5)
    (axes,) = figure.axes
    assert [bar.get_width() for bar in axes.patches][-1] == pytest.approx(verdict.dissimilarity)
    assert theta(0.01) in [line.get_xdata()[0] for line in axes.lines]
    figure.savefig(tmp_path / "verdict.png")
    assert (tmp_path / "verdict.png").stat().st_size > 1000


def test_bad_questions(deep: Store, tmp_path: Path) -> None:
    with pytest.raises(NotInStoreError, match=r"near matches: .*'a c"):
        deep.compare("a cc ||| x z", "b ||| y")
    for alpha in (0, -1, 1.5, float("nan")):
        with pytest.raises(OptionError, match="alpha must be"):
            deep.compare(1, 2, alpha=alpha)
    with pytest.raises(OptionError, match="fisher_below"):
        deep.compare(1, 2, fisher_below=-1)
    pruned = gs.open(tmp_path / "pruned.duckdb")
    pruned.build(*gs.sample_files(), prune=0.01, fisher_below=0)
    with pytest.raises(PrunedError, match=r"cannot test at 0\.05"):
        pruned.compare(1, 2, alpha=0.05)
    with pytest.raises(PrunedError, match="without Fisher"):
        pruned.compare(1, 2, alpha=0.01)
    with pytest.raises(PrunedError, match="dissimilarities"):
        pruned.dissimilarities(top=3)
    assert pruned.compare(1, 2, alpha=0.01, fisher_below=0).equivalent == (
        gs.sample_store().compare(1, 2, alpha=0.01, fisher_below=0).equivalent
    )


def test_commands(deep: Store, tmp_path: Path) -> None:
    deep.close()
    no = run_here("compare", deep.path, "a ||| x", "b ||| y")
    assert no.code == 1
    assert "not equivalent" in no.stdout
    assert run_here("compare", deep.path, "a ||| x", "b ||| y", "--alpha", "0.001").code == 0
    why = run_here("why-not", deep.path, "a ||| x", "b ||| y")
    assert why.code == 0
    assert "[_] d | [_] w: 1/6 against 0" in why.stdout
    matrix = tmp_path / "d.npy"
    run_here("dissimilarity", deep.path, "a ||| x", "b ||| y", "-o", matrix)
    assert np.load(matrix)[0, 1] == pytest.approx(100 / 36)
    assert "near matches" in run_here("compare", deep.path, "ab ||| x", "b ||| y").error
    assert "alpha must be" in run_here("compare", deep.path, "X1", "X2", "--alpha", "2").error
    assert ".npy" in run_here("dissimilarity", deep.path, "X1", "X2", "-o", "d.txt").error
