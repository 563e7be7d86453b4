"""The classes as of a step, from the merges up to it.

A step is a place in two arrays: who was displaced (0 for a promotion), and by which leader. The
merges are a forest with time on its links: whoever is displaced was a leader until then, and its
leader can only be displaced later.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel


def leaders_reference(displaced: Sequence[int], leader: Sequence[int], size: int) -> list[int]:
    """The leader of each id below `size`, by climbing: the definition.

    Examples
    --------
    >>> leaders_reference([3, 2], [2, 1], 5)  # X2 stands for X3, then X1 for both
    [0, 1, 1, 1, 4]
    """
    above = {low: high for low, high in zip(displaced, leader, strict=True) if low}
    leaders = []
    for member in range(size):
        while member in above:
            member = above[member]
        leaders.append(member)
    return leaders


@kernel
def leaders_at(
    displaced: NDArray[np.int32], leader: NDArray[np.int32], size: int
) -> NDArray[np.int32]:
    """The leader of each id below `size`, in one pass from the last merge back to the first.

    When a merge is met, all that can become of its leader later has been met before.
    """
    leaders = np.arange(size).astype(np.int32)
    for place in range(len(displaced) - 1, -1, -1):
        if displaced[place]:
            leaders[displaced[place]] = leaders[leader[place]]
    return leaders
