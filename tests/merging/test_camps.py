"""Camps of Blue-Fringe against their definition, after every step."""

from __future__ import annotations

import numpy as np
import pytest
from merging.fringes import case_of_rare_ones, fast_run
from numpy.typing import NDArray

from grammar_store.merging.fringe import camps, edges
from grammar_store.merging.fringe.camps import BLOCK, CAMPS, HAPAXES, NOBODY, Camps, settle
from grammar_store.merging.fringe.engine import FastFringe
from grammar_store.merging.fringe.state import State


def numbers_in(row: NDArray[np.uint64]) -> set[int]:
    return set(np.flatnonzero(np.unpackbits(row.view(np.uint8), bitorder="little")).tolist())


def having(found: Camps, camp: int) -> set[int]:
    """The foes of a camp, as they are kept by foe."""
    block, place = divmod(camp, BLOCK)
    return set(np.flatnonzero(found.having[:, block] >> place & 1).tolist())


def defined_foes(state: State) -> dict[int, set[int]]:
    """The foes of each camp: those of its parent, and who leads to a foe of the camp above."""
    all_edges, found = state.edges, state.foes.camps
    foes = {first: numbers_in(found.bits[first]) for first in (HAPAXES, NOBODY)}
    for number in found.made[: found.used[CAMPS]].tolist():
        camp = found.camp[number]
        start = int(all_edges.starts[camp["context"]])
        through = all_edges.edge[start : start + int(all_edges.length[camp["context"]])]
        above = foes[int(found.above[number])]
        foes[number] = foes[int(camp["parent"])] | {
            int(edge["start"]) for edge in through if int(edge["end"]) in above
        }
    return foes


@pytest.mark.parametrize("most", [64, 1 << 17])
def test_camps_have_the_foes_of_their_definition(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edges, "_HUB", 1)
    monkeypatch.setattr(camps, "_MOST", most)
    seen = most_at_once = 0
    for seed in range(900, 1050):
        run = fast_run(case_of_rare_ones(seed))
        assert isinstance(run, FastFringe)
        while len(run.advance(1).leader):
            found = run._state.foes.camps
            settle(found)
            for camp, foes in defined_foes(run._state).items():
                assert numbers_in(found.bits[camp]) == having(found, camp) == foes
                seen += camp > NOBODY and bool(foes)
            most_at_once = max(most_at_once, int(found.used[CAMPS]))
    assert seen >= 100
    assert most_at_once <= most
