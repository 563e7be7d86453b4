"""The example of the paper's section 4.2, computed by hand.

Of its Table 1, X3 is "neue Haus" with C = 1 and X6 is "Haus" with C = 2. They share one context,
"das _": 1/6 of 1 against 1/3 of 2, so 1/6 against 1/6. "Haus" alone fills "das neue _" (1/6 of 2,
so 1/12) and "neue _" (1/3 of 2, so 1/6). With C1 C2/(C1 + C2) = 2/3 the dissimilarities are 0,
1/216 and 1/54.
The left-hand sides in the shared context, "das neue Haus" and "das Haus", fill no context.

No level tells them apart: 1/54 < θ(1) = ln(2)/2, and all counts round to 0 in Fisher's test. With
everything seen n times, D is n/54, and the verdict of Hoeffding's test flips at α = 2 exp(-n/27).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import duckdb
import pytest
from equivalence.agreement import agreed_verdict
from equivalence.worlds import World, in_memory

from grammar_store.equivalence.reference import ReferenceVerdict
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.reference import reference_grammar

SENTENCES = [
    (("das", "neue", "Haus"), ("the", "new", "house"), {(0, 0), (1, 1), (2, 2)}),
    (("das", "Haus"), ("the", "house"), {(0, 0), (1, 1)}),
]
SHARED = "das [_]", "the [_]"
DAS_NEUE = "das neue [_]", "the new [_]"
NEUE = "neue [_]", "new [_]"


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with in_memory() as connection:
        yield connection


def ask(
    connection: duckdb.DuckDBPyConnection,
    times: int,
    alpha: float,
    fisher_below: float,
    merged: tuple[str, str] | None = None,
) -> ReferenceVerdict:
    """Is "neue Haus" equivalent to "Haus", everything being seen so many times?"""
    grammar = reference_grammar(times * SENTENCES, ExtractionOptions())
    ids = {row.source: x for x, row in enumerate(grammar.nonterminals, start=1)}
    leaders = {x: x for x in ids.values()}
    if merged is not None:
        leaders[ids[merged[0]]] = ids[merged[1]]
    pair = ids["neue Haus"], ids["Haus"]
    return agreed_verdict(connection, World(grammar, leaders, pair, alpha, fisher_below))


def test_comparisons(connection: duckdb.DuckDBPyConnection) -> None:
    verdict = ask(connection, 1, alpha=0.05, fisher_below=20)
    found = {one.context: one for one in verdict.comparisons}
    assert found.keys() == {SHARED, DAS_NEUE, NEUE}
    for one in verdict.comparisons:
        assert (one.depth, one.big_c1, one.big_c2) == (0, 1.0, 2.0)
        assert one.test == "fisher"
        assert one.p_value == 1.0
        assert one.equal
        assert one.bound == pytest.approx(math.sqrt(-math.log(0.025) * 3 / 4))
    assert (found[SHARED].c1, found[SHARED].c2) == pytest.approx((1 / 6, 1 / 3))
    assert (found[DAS_NEUE].c1, found[DAS_NEUE].c2) == pytest.approx((0, 1 / 6))
    assert (found[NEUE].c1, found[NEUE].c2) == pytest.approx((0, 1 / 3))
    assert found[SHARED].d == pytest.approx(0, abs=1e-15)
    assert found[DAS_NEUE].d == pytest.approx(1 / 216)
    assert found[NEUE].d == pytest.approx(1 / 54)


@pytest.mark.parametrize("alpha", [1.0, 0.05, 0.001])
@pytest.mark.parametrize("fisher_below", [0, 2, 20])
def test_no_level_tells_them_apart(
    connection: duckdb.DuckDBPyConnection, alpha: float, fisher_below: float
) -> None:
    verdict = ask(connection, 1, alpha, fisher_below)
    assert verdict.equivalent
    assert verdict.dissimilarity == pytest.approx(1 / 54)
    assert verdict.deciding is not None
    assert verdict.deciding.context == NEUE
    assert verdict.path == []


@pytest.mark.parametrize(
    ("times", "alpha", "fisher_below", "equivalent"),
    [
        # θ(1) is 18.7 / 54
        (18, 1.0, 0, True),
        (19, 1.0, 0, False),
        # 2 exp(-100/27) = 0.04927...; the smaller count is 100
        (100, 0.0492, 20, True),
        (100, 0.0493, 20, False),
        # 0 of 10 against 10/3 of 20, so 3: Fisher's p is 108/203 = 0.53201...
        (10, 0.5320, 20, True),
        (10, 0.5321, 20, False),
        # the same, but 10 is not below 10, and Hoeffding's test cannot tell 10/54 from 0
        (10, 1.0, 10, True),
    ],
)
def test_where_verdicts_flip(
    connection: duckdb.DuckDBPyConnection,
    times: int,
    alpha: float,
    fisher_below: float,
    equivalent: bool,
) -> None:
    verdict = ask(connection, times, alpha, fisher_below)
    assert verdict.equivalent == equivalent
    assert verdict.dissimilarity == pytest.approx(times / 54)
    assert verdict.deciding is not None
    assert verdict.deciding.context == NEUE
    assert verdict.deciding.equal == equivalent


def test_merging_changes_what_is_compared(connection: duckdb.DuckDBPyConnection) -> None:
    # "neue" joins "neue Haus": C = 2, and "das _" counts 1/6 + 1/3. It brings "_ Haus" (1/3) and
    # "das _ Haus" (1/6), which "Haus" does not fill. Of their left-hand sides in "das _" only
    # "das neue" fills a context, "_ Haus" with 1/6 of 1: that is tested against "das Haus", with 0.
    verdict = ask(connection, 1, alpha=0.05, fisher_below=0, merged=("neue", "neue Haus"))
    top = {one.context: (one.c1, one.c2) for one in verdict.comparisons if one.depth == 0}
    assert top == {
        SHARED: pytest.approx((1 / 2, 1 / 3)),
        NEUE: pytest.approx((0, 1 / 3)),
        DAS_NEUE: pytest.approx((0, 1 / 6)),
        ("[_] Haus", "[_] house"): pytest.approx((1 / 3, 0)),
        ("das [_] Haus", "the [_] house"): pytest.approx((1 / 6, 0)),
    }
    below = [one for one in verdict.comparisons if one.depth > 0]
    assert [one.context for one in below] == [("[_] Haus", "[_] house")]
    assert sorted([below[0].c1, below[0].c2]) == pytest.approx([0, 1 / 6])
    assert below[0].d == pytest.approx(1 / 72)
    # 2 2 / (2 + 2) (1/6)^2 in "neue _" and in "_ Haus"; of equals the first by text decides
    assert verdict.dissimilarity == pytest.approx(1 / 36)
    assert verdict.deciding is not None
    assert verdict.deciding.context == ("[_] Haus", "[_] house")
