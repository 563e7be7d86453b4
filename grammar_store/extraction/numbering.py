"""Give equal keys the same number, by first appearance, on all cores.

Keys are pairs of 64-bit integers, a row each. Each thread owns the keys whose hash falls to it and
looks through every batch for these, so that no two threads touch the same place; numbers
are then handed out in the order of the batch. The outcome is that of the plain definition
`number_keys_reference`, whatever the number of threads.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.hashing import mix
from grammar_store.extraction.parallel import run_each

Keys = NDArray[np.uint64]

_EMPTY = -1
_BATCH = 1 << 20


def number_keys_reference(keys: Keys) -> list[int]:
    """Number keys from 0 by first appearance.

    Examples
    --------
    >>> number_keys_reference(np.array([[7, 1], [8, 1], [7, 1]], np.uint64))
    [0, 1, 0]
    """
    numbers: dict[tuple[int, int], int] = {}
    return [numbers.setdefault((low, high), len(numbers)) for low, high in keys.tolist()]


class Numbering:
    """A growing table of numbered keys.

    Parameters
    ----------
    threads
        Cores to use; numbers are the same for any number.
    expected
        About how many different keys there will be: saves growing in steps.

    Examples
    --------
    >>> numbering = Numbering(threads=2)
    >>> numbering.number(np.array([[7, 0], [8, 0], [7, 0]], np.uint64)).tolist(), len(numbering)
    ([0, 1, 0], 2)
    """

    def __init__(self, threads: int = 1, expected: int = 0) -> None:
        self.threads = threads
        self._count = 0
        self._known = np.empty((1 << 10, 2), np.uint64)
        self._tables = np.full((threads, 1 << 12), _EMPTY, np.int32)
        self._make_room(expected)

    def __len__(self) -> int:
        return self._count

    def number(self, keys: Keys) -> NDArray[np.int32]:
        """The number of each key; keys not seen before get the next numbers, in order."""
        numbers = np.empty(len(keys), np.int32)
        for start in range(0, len(keys), _BATCH):
            batch = slice(start, start + _BATCH)
            self._number_batch(keys[batch], numbers[batch])
        return numbers

    def _number_batch(self, keys: Keys, numbers: NDArray[np.int32]) -> None:
        self._make_room(len(keys))
        places = np.full(len(keys), -1, np.int64)
        run_each(
            lambda part: _find_or_claim(
                part, self.threads, keys, self._known, self._tables[part], numbers, places
            ),
            [(part,) for part in range(self.threads)],
            self.threads,
        )
        self._count = _hand_out(
            self._count, keys, self._known, self._tables, self.threads, numbers, places
        )

    def _make_room(self, more: int) -> None:
        most = self._count + more
        if most > len(self._known):
            known = np.empty((max(most, 2 * len(self._known)), 2), np.uint64)
            known[: self._count] = self._known[: self._count]
            self._known = known
        # Parts get about equal shares; the slack keeps a part from filling up by chance.
        needed = 2 * (most // self.threads + most // (4 * self.threads) + 64)
        if needed > self._tables.shape[1]:
            width = 1 << int(needed - 1).bit_length()
            self._tables = np.full((self.threads, width), _EMPTY, np.int32)
            run_each(
                lambda part: _refill(
                    part, self.threads, self._count, self._known, self._tables[part]
                ),
                [(part,) for part in range(self.threads)],
                self.threads,
            )


@kernel
def _hash(low: np.uint64, high: np.uint64) -> np.uint64:
    return mix(low + mix(high + np.uint64(0x9E3779B97F4A7C15)))


@kernel
def _owner(hashed: np.uint64, parts: int) -> int:
    # The high half chooses the part, the low half the place in its table.
    return int((hashed >> np.uint64(32)) % np.uint64(parts))


@kernel
def _find_or_claim(
    part: int,
    parts: int,
    keys: Keys,
    known: Keys,
    table: NDArray[np.int32],
    numbers: NDArray[np.int32],
    places: NDArray[np.int64],
) -> None:
    """Find the number of each key of this part, or claim a place for a new one.

    In the table, v >= 0 is a number and v <= -2 points to the key at -v - 2 of the batch,
    whose number is not known yet. `numbers` gets the same; `places` the claimed places.
    """
    mask = np.uint64(len(table) - 1)
    for i in range(len(keys)):
        low, high = keys[i, 0], keys[i, 1]
        hashed = _hash(low, high)
        if _owner(hashed, parts) != part:
            continue
        place = hashed & mask
        while True:
            value = table[place]
            if value == _EMPTY:
                table[place] = -i - 2
                places[i] = place
                numbers[i] = -i - 2
                break
            if value >= 0:
                same = known[value, 0] == low and known[value, 1] == high
            else:
                same = keys[-value - 2, 0] == low and keys[-value - 2, 1] == high
            if same:
                numbers[i] = value
                break
            place = (place + np.uint64(1)) & mask


@kernel
def _hand_out(
    count: int,
    keys: Keys,
    known: Keys,
    tables: NDArray[np.int32],
    parts: int,
    numbers: NDArray[np.int32],
    places: NDArray[np.int64],
) -> int:
    """Turn claims into numbers in the order of the batch; give the new count."""
    for i in range(len(keys)):
        if places[i] >= 0:
            known[count, 0], known[count, 1] = keys[i, 0], keys[i, 1]
            tables[_owner(_hash(keys[i, 0], keys[i, 1]), parts), places[i]] = count
            numbers[i] = count
            count += 1
        elif numbers[i] < 0:
            numbers[i] = numbers[-numbers[i] - 2]
    return count


@kernel
def _refill(
    part: int,
    parts: int,
    count: int,
    known: Keys,
    table: NDArray[np.int32],
) -> None:
    mask = np.uint64(len(table) - 1)
    for number in range(count):
        hashed = _hash(known[number, 0], known[number, 1])
        if _owner(hashed, parts) == part:
            place = hashed & mask
            while table[place] != _EMPTY:
                place = (place + np.uint64(1)) & mask
            table[place] = number
