"""Histories in numbers: the kernels against plain Python."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from grammar_store.report.history import chain, choose_stops, largest_at, merged_at, moves
from grammar_store.sessions.forest import leaders_reference
from grammar_store.sessions.line import Line
from grammar_store.sessions.why import path


class History(NamedTuple):
    counts: list[int]
    displaced: list[int]
    leader: list[int]


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Random steps: merges of two leaders, and promotions of one."""
    size = draw(st.integers(2, 12))
    counts = [0, *draw(st.lists(st.integers(1, 5), min_size=size, max_size=size))]
    leaders, displaced, leader = list(range(1, size + 1)), [], []
    for _ in range(draw(st.integers(0, size + 3))):
        stays = draw(st.sampled_from(leaders))
        others = [0, *(each for each in leaders if each != stays)]
        gone = draw(st.sampled_from(others))
        if gone:
            leaders.remove(gone)
        displaced.append(gone)
        leader.append(stays)
    return History(counts, displaced, leader)


def arrays(history: History) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        np.array(history.displaced, np.int32),
        np.array(history.leader, np.int32),
        np.array(history.counts, np.int64),
    )


def classes_at(history: History, step: int) -> dict[int, list[int]]:
    """The members of each class after a step, by leader, by climbing."""
    leaders = leaders_reference(
        history.displaced[:step], history.leader[:step], len(history.counts)
    )
    found: dict[int, list[int]] = {}
    for member in range(1, len(leaders)):
        found.setdefault(leaders[member], []).append(member)
    return found


@settings(deadline=None)
@given(histories())
def test_every_step_moved_the_class_that_was_there(history: History) -> None:
    found = moves(*arrays(history))
    for step, (gone, stays) in enumerate(zip(history.displaced, history.leader, strict=True)):
        moved = classes_at(history, step)[gone or stays]
        assert found.members[step] == len(moved)
        assert found.occurrences[step] == sum(history.counts[member] for member in moved)
        assert found.after[step] == len(classes_at(history, step + 1)[stays])


@settings(deadline=None)
@given(histories(), st.integers(1, 4), st.data())
def test_the_largest_classes_at_any_steps(history: History, most: int, data: st.DataObject) -> None:
    steps = st.sets(st.integers(0, len(history.displaced)), min_size=1)
    stops = sorted(data.draw(steps))
    found = largest_at(*arrays(history), np.array(stops), most)
    for row, step in enumerate(stops):
        classes = classes_at(history, step)
        totals = {each: sum(history.counts[x] for x in classes[each]) for each in classes}
        ranked = sorted(classes, key=lambda x: (-len(classes[x]), -totals[x], x))[:most]
        expected = [(leader, len(classes[leader])) for leader in ranked]
        assert [
            pair for pair in zip(found.leaders[row], found.members[row], strict=True) if pair[0]
        ] == expected


@settings(deadline=None)
@given(histories(), st.sampled_from([2, 4, 8]))
def test_chains_are_the_ways_to_the_leader(history: History, most: int) -> None:
    displaced, leader, counts = arrays(history)
    joined = merged_at(displaced, len(counts))
    # Promotions change no class; a line would refuse the second one of a class.
    merges = np.flatnonzero(displaced)
    line = Line(counts)
    line.extend(displaced[merges], leader[merges])
    for top, members in classes_at(history, len(displaced)).items():
        for member in members:
            way = [int(merges[step - 1]) + 1 for step in path(line, member, top)]
            found = chain(joined, leader, member, most)
            assert found.length == len(way)
            kept = way if len(way) <= most else way[: most // 2] + way[-(most // 2) :]
            assert list(found.steps) == kept


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), max_size=60), st.integers(2, 30))
def test_stops_are_few_and_hold_what_matters(moved: list[int], most: int) -> None:
    stops = choose_stops(np.array(moved, np.int64), most).tolist()
    assert stops == sorted(set(stops))
    assert stops[0] == 0
    assert stops[-1] == len(moved)
    if len(moved) < most:
        assert stops == list(range(len(moved) + 1))
    else:
        assert len(stops) <= max(most, 2)
        kept = sorted(range(1, len(moved) + 1), key=lambda step: (-moved[step - 1], step))
        assert set(kept[: most - max(2, most // 2)]) <= set(stops)
