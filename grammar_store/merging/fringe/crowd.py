"""Blue non-terminals go on to the next red class when they are known to fail against theirs.

Thousands of rare ones fail against the same classes one after another, many of them at the same
moment, and go on to the same next one, far behind. So those that come to wait for one class
together are a *crowd*, with a row of classes that each of them is known to fail against: these are
passed by, and only what became known since is asked of each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar_store.merging.fringe.compiling import allocating, inner, wide
from grammar_store.merging.fringe.foes import add_foes, is_foe
from grammar_store.merging.fringe.queues import Queues, take_all
from grammar_store.merging.fringe.records import (
    Records,
    gather_known,
    known_to_fail,
)
from grammar_store.merging.fringe.rows import has_bit, set_bit
from grammar_store.merging.fringe.state import CROWDS, MANY, REDS, State, claim, note_change, waive


@inner
def send_on(state: State, queues: Queues, records: Records, red: int) -> bool:
    """Let the first that waits for a red class wait for another, and who is known to fail as well.

    False if it fails against all, which should be known.
    """
    for _ in range(state.counters[MANY]):
        blue = wide(queues.of[red].first)
        waive(state, queues, blue)
        other = wide(_next_claim(state, records, red, blue))
        if other == 0:
            return False
        claim(state, queues, blue, other)
        blue = wide(queues.of[red].first)
        if blue == 0 or not _is_known_to_fail(state, records, red, blue):
            return True
    return send_all_on(state, queues, records, red)


@allocating
def send_all_on(state: State, queues: Queues, records: Records, red: int) -> bool:
    """Let all that are known to fail against a red class wait for others."""
    before, many, rows = state.counters[CROWDS], state.counters[MANY], len(records.crowds)
    blues, starts = _by_crowd(state, records, take_all(queues, red))
    note_change(state, red)
    alone = 0
    for row in range(rows + 1):
        done, end = starts[row], starts[row + 1]
        crowd = before - (before - row) % rows if row < rows else 0
        if end - done >= many and _is_remembered(state, records, crowd):
            done += _send_crowd_on(state, queues, records, red, blues[done:end], wide(crowd))
            if end - done >= many:
                return False
        for at in range(done, end):
            blues[alone] = blues[at]
            alone += 1
    for at in range(alone):
        blue = wide(blues[at])
        if not _is_known_to_fail(state, records, red, blue):
            claim(state, queues, blue, red)
            continue
        other = wide(_next_claim(state, records, red, blue))
        if other == 0:
            return False
        claim(state, queues, blue, other)
        is_new = alone == len(blues)
        if is_new and state.of[other].crowd <= before:
            _found_crowd(state, records, other, records.all_known[0])
        _try_to_join(state, records, blue, other, is_new)
    return True


@allocating
def _by_crowd(
    state: State, records: Records, blues: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Those of each crowd together, by its row, and then those of none; where they begin."""
    rows = np.empty(len(blues), np.int64)
    starts = np.zeros(len(records.crowds) + 2, np.int64)
    for at in range(len(blues)):
        crowd = state.of[blues[at]].crowd
        known = _is_remembered(state, records, crowd)
        rows[at] = crowd % len(records.crowds) if known else len(records.crowds)
        starts[rows[at] + 1] += 1
    starts = starts.cumsum()
    filled, together = starts.copy(), np.empty_like(blues)
    for at in range(len(blues)):
        together[filled[rows[at]]] = blues[at]
        filled[rows[at]] += 1
    return together, starts


@inner
def _is_remembered(state: State, records: Records, crowd: int) -> bool:
    return crowd > max(0, state.counters[CROWDS] - len(records.crowds))


@allocating
def _send_crowd_on(
    state: State, queues: Queues, records: Records, red: int, blues: NDArray[np.int32], crowd: int
) -> int:
    """Send a crowd on from class to class, until few are left; how many are done.

    All that come to wait for the same class are a crowd again. Those that are left are the last.
    """
    camps = state.foes.camps
    known = records.crowds[crowd % len(records.crowds)].copy().reshape(1, -1)
    camp_of = np.empty(len(blues), np.int32)
    for at in range(len(blues)):
        camp_of[at] = camps.of[blues[at]]
    done = 0
    for position in range(state.of[red].position, state.counters[REDS]):
        other = wide(state.order[position])
        number = wide(state.edges.number[other])
        if has_bit(known, wide(0), number):
            continue
        before = done
        for at in range(done, len(blues)):
            blue = wide(blues[at])
            if not (
                has_bit(camps.bits, wide(camp_of[at]), number)
                or _is_known_to_fail(state, records, other, blue)
            ):
                claim(state, queues, blue, other)
                blues[at], blues[done] = blues[done], blues[at]
                camp_of[at], camp_of[done] = camp_of[done], camp_of[at]
                done += 1
        if done - before >= state.counters[MANY]:
            _found_crowd(state, records, other, known[0])
            for at in range(before, done):
                state.of[blues[at]].crowd = state.counters[CROWDS]
        if len(blues) - done < state.counters[MANY]:
            break
        set_bit(known, wide(0), number)
    return done


@inner
def _found_crowd(state: State, records: Records, red: int, known: NDArray[np.uint64]) -> None:
    """Begin a crowd that waits for a red class."""
    state.counters[CROWDS] += 1
    state.of[red].crowd = state.counters[CROWDS]
    row = state.counters[CROWDS] % len(records.crowds)
    for word in range(len(known)):
        records.crowds[row, word] = known[word]


@inner
def _try_to_join(state: State, records: Records, blue: int, red: int, yielding: bool) -> None:
    """Let the one of whom all that is known was gathered join the crowd that waits for a class.

    It must know all that the crowd knows, unless the crowd is `yielding`.
    """
    crowd = state.of[red].crowd
    if not _is_remembered(state, records, crowd):
        return
    row = crowd % len(records.crowds)
    for word in range(records.crowds.shape[1]):
        if records.crowds[row, word] & ~records.all_known[0, word]:
            if not yielding:
                return
            records.crowds[row, word] &= records.all_known[0, word]
    state.of[blue].crowd = crowd


@inner
def _is_known_to_fail(state: State, records: Records, red: int, blue: int) -> bool:
    return is_foe(state.edges, state.foes, red, blue) or known_to_fail(state, records, red, blue)


@inner
def _next_claim(state: State, records: Records, red: int, blue: int) -> int:
    """The next greatest red class that a blue non-terminal is not known to fail against."""
    gather_known(state, records, blue)
    add_foes(state.foes, blue, records.all_known, wide(0))
    for at in range(state.of[red].position + 1, state.counters[REDS]):
        other = wide(state.order[at])
        if not has_bit(records.all_known, wide(0), wide(state.edges.number[other])):
            return other
    return 0
