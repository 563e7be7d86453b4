"""Priority queues of non-terminals, many at once: pairing heaps in arrays.

Every non-terminal is in at most one queue, so that its links stand at its own id. The one that
ranks first is taken first; two queues are joined in no time, and any member can be taken out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.merging.fringe.compiling import allocating, inner


class Queues(NamedTuple):
    """One queue for each red non-terminal; 0 stands for none."""

    of: NDArray[np.void]


_QUEUED = np.dtype(
    [
        # of a red one: the first that waits for it
        ("first", np.int32),
        # of one that waits: its first child, the next child of its parent, what links to it
        ("child", np.int32),
        ("sibling", np.int32),
        ("before", np.int32),
        # where it comes among all that wait
        ("rank", np.int32),
    ]
)


def new_queues(rank: NDArray[np.int32]) -> Queues:
    """Queues without members.

    Examples
    --------
    >>> queues = new_queues(np.array([0, 2, 1, 3], np.int32))
    >>> for x in (1, 2, 3):
    ...     enqueue(queues, 1, x)
    >>> leave(queues, 1, 3)
    >>> int(queues.of["first"][1]), dequeue(queues, 1), dequeue(queues, 1)
    (2, 2, 1)
    """
    queues = Queues(np.zeros(len(rank), _QUEUED))
    queues.of["rank"] = rank
    return queues


@inner
def _link(queues: Queues, a: int, b: int) -> int:
    """Join two heaps by their roots."""
    if a == 0 or b == 0:
        return a + b
    if queues.of[b].rank < queues.of[a].rank:
        a, b = b, a
    queues.of[b].before, queues.of[b].sibling = a, queues.of[a].child
    if queues.of[a].child:
        queues.of[queues.of[a].child].before = b
    queues.of[a].child = b
    return a


@inner
def _join_children(queues: Queues, x: int) -> int:
    """The heap of all that is below a member: in pairs, then from the last to the first."""
    pairs, here = 0, queues.of[x].child
    while here:
        a = here
        b = queues.of[a].sibling
        here = queues.of[b].sibling if b else 0
        queues.of[a].sibling = queues.of[a].before = 0
        if b:
            queues.of[b].sibling = queues.of[b].before = 0
        a = _link(queues, a, b)
        queues.of[a].sibling = pairs
        pairs = a
    root = 0
    while pairs:
        rest = queues.of[pairs].sibling
        queues.of[pairs].sibling = 0
        root = _link(queues, root, pairs)
        pairs = rest
    queues.of[x].child = 0
    return root


@kernel
def enqueue(queues: Queues, red: int, x: int) -> None:
    """Let a non-terminal wait for a red one."""
    queues.of[red].first = _link(queues, queues.of[red].first, x)


@kernel
def dequeue(queues: Queues, red: int) -> int:
    """Take out the one that ranks first."""
    x = queues.of[red].first
    queues.of[red].first = _join_children(queues, x)
    return x


@kernel
def leave(queues: Queues, red: int, x: int) -> None:
    """Take out any member."""
    if queues.of[red].first == x:
        dequeue(queues, red)
        return
    parent, younger = queues.of[x].before, queues.of[x].sibling
    if queues.of[parent].child == x:
        queues.of[parent].child = younger
    else:
        queues.of[parent].sibling = younger
    if younger:
        queues.of[younger].before = parent
    queues.of[x].before = queues.of[x].sibling = 0
    queues.of[red].first = _link(queues, queues.of[red].first, _join_children(queues, x))


@allocating
def members(queues: Queues, red: int) -> NDArray[np.int32]:
    """All who wait for a red one, in no order."""
    found, at = [queues.of[red].first], 0
    while at < len(found):
        x = found[at]
        if queues.of[x].child:
            found.append(queues.of[x].child)
        if queues.of[x].sibling:
            found.append(queues.of[x].sibling)
        at += 1
    return np.array(found)
