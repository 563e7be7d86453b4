"""Rare non-terminals of one kin: they fill the same contexts in rules of the same kin.

What a rare non-terminal is known to fail against follows from what the left-hand sides of its rules
are known to fail against, and so on up. So all of one kin have the same foes (see `foes`), and
these are kept and looked for once for all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.hashing import mix
from grammar_store.merging.fringe.compiling import inner, wide
from grammar_store.merging.fringe.world import World

NO_KIN, HAPAXES = 0, 1
"""Those of no kin have no foes; the first kin are hapaxes whose rules share no context."""

ALL_CONTEXTS = 0
"""The context of a kin that has all foes of another."""


class Kin(NamedTuple):
    """Who is of which kin, and where the foes of each come from."""

    #: by non-terminal
    of: NDArray[np.int32]
    #: by kin: where its sources begin, and whether it is a source itself
    starts: NDArray[np.int32]
    is_source: NDArray[np.bool_]
    source: NDArray[np.void]


# A context that all of a kin fill, and the kin of the left-hand side. The rest is for those who
# follow what comes from there (see `foes`): how many edges of the context were followed, how many
# foes of the kin above were, and the chunk of the log that the last of these is in.
_SOURCE = np.dtype([(name, np.int32) for name in ("context", "above", "edges", "foes", "chunk")])


def find_kin(world: World, is_hapax: NDArray[np.bool_], is_rare: NDArray[np.bool_]) -> Kin:
    """Find who is of which kin; hapaxes have all foes of the first kin as well.

    Parameters
    ----------
    world
        The grammar.
    is_hapax, is_rare
        By non-terminal; all that is above a hapax are hapaxes.
    """
    most = int(np.diff(world.shared_starts)[is_rare].sum() + is_hapax.sum())
    places = np.zeros(1 << (2 * int(is_rare.sum()) + 1).bit_length(), np.int32)
    of, starts = np.zeros(len(is_rare), np.int32), np.zeros(int(is_rare.sum()) + 3, np.int32)
    context, above = np.zeros(most, np.int32), np.zeros(most, np.int32)
    count = _find_kin(world, is_hapax, is_rare, places, of, starts, context, above)
    used = starts[count]
    is_source = np.zeros(count, np.bool_)
    is_source[above[:used]] = True
    source = np.zeros(used, _SOURCE)
    source["context"], source["above"] = context[:used], above[:used]
    return Kin(of, starts[: count + 1].copy(), is_source, source)


@kernel
def _find_kin(
    world: World, is_hapax: NDArray[np.bool_], is_rare: NDArray[np.bool_],
    places: NDArray[np.int32], of: NDArray[np.int32], starts: NDArray[np.int32],
    context: NDArray[np.int32], above: NDArray[np.int32],
) -> int:  # fmt: skip
    """Fill the columns of `Kin`, from above to below; how many kin there are."""
    count = HAPAXES + 1
    for x in world.upwards[::-1]:
        if not is_rare[x]:
            continue
        start = end = starts[count]
        if is_hapax[x]:
            context[end], above[end] = ALL_CONTEXTS, HAPAXES
            end += 1
        for entry in range(world.shared_starts[x], world.shared_starts[x + 1]):
            kin = of[world.shared[entry].lhs]
            if kin:
                context[end], above[end] = world.shared[entry].context, kin
                end += 1
        if end == start:
            of[x] = NO_KIN
        elif end == start + 1 and context[start] == ALL_CONTEXTS:
            of[x] = HAPAXES
        else:
            place = _place(places, starts, context, above, start, end)
            if places[place] == 0:
                places[place] = count
                count += 1
                starts[count] = end
            of[x] = places[place]
    return count


@inner
def _place(
    places: NDArray[np.int32], starts: NDArray[np.int32], context: NDArray[np.int32],
    above: NDArray[np.int32], start: int, end: int,
) -> int:  # fmt: skip
    """Where the kin with these sources is in a hash table, or belongs."""
    hashed = np.uint64(end - start)
    for at in range(start, end):
        hashed = mix(hashed ^ ((np.uint64(context[at]) << np.uint64(32)) | np.uint64(above[at])))
    mask = np.uint64(len(places) - 1)
    place = hashed & mask
    while places[place]:
        other = starts[places[place]]
        if starts[places[place] + 1] - other == end - start:
            at = 0
            while at < end - start and (
                context[other + at] == context[start + at]
                and above[other + at] == above[start + at]
            ):
                at += 1
            if at == end - start:
                break
        place = (place + np.uint64(1)) & mask
    return wide(place)
