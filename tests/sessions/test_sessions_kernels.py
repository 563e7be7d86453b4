"""The kernels against their plain definitions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sessions.evidence import EVIDENCE, ID

from grammar_store.errors import SessionError
from grammar_store.sessions.forest import leaders_at, leaders_reference
from grammar_store.sessions.hashing import START, chained, step_hash
from grammar_store.sessions.line import Line
from grammar_store.sessions.steps import REASONS, Evidence, Merge, Promotion, to_steps, to_table

SIZE = 18


@st.composite
def forests(draw: st.DrawFn) -> list[tuple[int, int]]:
    """Merges of leaders, and promotions, which displace 0."""
    leaders, promoted, steps = list(range(1, SIZE)), set(), []
    for _ in range(draw(st.integers(0, 2 * SIZE))):
        high = draw(st.sampled_from(leaders))
        if draw(st.integers(0, 3)) and len(leaders) > 1:
            low = draw(st.sampled_from([each for each in leaders if each != high]))
            leaders.remove(low)
            if low in promoted:
                promoted.add(high)
            steps.append((low, high))
        elif high not in promoted:
            promoted.add(high)
            steps.append((0, high))
    return steps


def arrays(steps: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    table = np.array(steps, np.int32).reshape(-1, 2)
    return table[:, 0], table[:, 1]


@settings(deadline=None)  # the first call compiles
@given(forests())
def test_leaders_are_found_by_climbing(steps: list[tuple[int, int]]) -> None:
    for end in range(len(steps) + 1):
        displaced, leader = arrays(steps[:end])
        expected = leaders_reference(displaced.tolist(), leader.tolist(), SIZE)
        assert leaders_at(displaced, leader, SIZE).tolist() == expected


@settings(deadline=None)  # the first call compiles
@given(forests(), st.data())
def test_a_line_goes_back_and_forth(steps: list[tuple[int, int]], data: st.DataObject) -> None:
    counts = np.arange(SIZE)
    line = Line(counts)
    for _ in range(5):
        end = data.draw(st.integers(0, len(steps)))
        if end < line.steps:
            line.truncate(end)
        else:
            line.extend(*arrays(steps[line.steps : end]))
        assert line.steps == end
        displaced, leader = arrays(steps[:end])
        assert line.displaced.tolist() == displaced.tolist()
        leaders = leaders_reference(displaced.tolist(), leader.tolist(), SIZE)
        for each in range(1, SIZE):
            members = [other for other in range(1, SIZE) if leaders[other] == leaders[each]]
            promoted = [high for low, high in steps[:end] if low == 0]
            assert line.leader_of(each) == leaders[each]
            assert line.members_of(each) == members
            assert line.count_of(each) == sum(members)
            assert line.is_promoted(each) == any(high in members for high in promoted)


@pytest.mark.parametrize(
    "wrong",
    [
        (1, 2),
        (5, 2),
        (3, 3),
        (2, 4),
        (0, 2),
        (0, 1),
        (SIZE, 3),
        (3, SIZE),
        (-1, 3),
        (3, 0),
        (3, -2),
    ],
)
def test_a_step_that_cannot_be_is_refused_with_all_others(wrong: tuple[int, int]) -> None:
    line = Line(np.ones(SIZE, np.int64))
    line.extend(*arrays([(2, 1), (4, 3), (0, 1)]))
    with pytest.raises(SessionError, match="step 5"):
        line.extend(*arrays([(6, 7), wrong, (8, 9)]))
    assert line.steps == 3
    expected = [0, 1, 1, 3, 3, *range(5, SIZE)]
    assert [line.leader_of(each) for each in range(SIZE)] == expected


STEPS = st.lists(
    st.builds(
        Merge, st.integers(1, 2**62), ID, ID, st.sampled_from(REASONS), st.none() | ID, EVIDENCE
    )
    | st.builds(
        Promotion, st.integers(1, 2**62), ID, st.sampled_from(REASONS), st.none() | ID, EVIDENCE
    ),
    max_size=6,
)


@settings(deadline=None)  # the first call compiles
@given(STEPS, st.integers(0, 2**64 - 1))
def test_the_hash_of_many_steps_is_chained_from_that_of_one(
    steps: list[Merge | Promotion], previous: int
) -> None:
    found = chained(previous, to_table(steps)).tolist()
    expected = []
    for step in steps:
        previous = step_hash(previous, step)
        expected.append(previous)
    assert found == expected


@settings(deadline=None)  # the first call compiles
@given(STEPS)
def test_steps_survive_a_table(steps: list[Merge | Promotion]) -> None:
    assert list(to_steps(to_table(steps))) == steps


STEP = Merge(
    3,
    5,
    2,
    "forced",
    1,
    Evidence(1, 2, 3, None, 4, 0.5, 2.0, 0.25, 4.0, 0.0, 1.5, None, "fisher", 0),
)


@pytest.mark.parametrize(
    "change",
    [
        {"step": 4},
        {"displaced": 6},
        {"leader": 3},
        {"reason": "manual"},
        {"cause": None},
        {"evidence": None},
        *({"evidence": STEP.evidence._replace(**{name: 7})} for name in Evidence._fields[:5]),
        *({"evidence": STEP.evidence._replace(**{name: 7.5})} for name in Evidence._fields[5:12]),
        {"evidence": STEP.evidence._replace(d=-0.0)},
        {"evidence": STEP.evidence._replace(test="hoeffding")},
        {"evidence": STEP.evidence._replace(depth=1)},
    ],
    ids=str,
)
def test_every_change_of_a_step_changes_its_hash(change: dict[str, Any]) -> None:
    assert step_hash(START, replace(STEP, **change)) != step_hash(START, STEP)
