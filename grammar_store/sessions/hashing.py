"""A hash per step, chained: each covers the step, its evidence and the hash before.

It guards against rows that were lost or changed by accident. A step is a list of 64-bit words; each
is mixed into the hash in a way that can be turned back, so a change of one word always shows.
The macro ``step_hash`` is the same in SQL.
"""

from __future__ import annotations

import struct
from hashlib import md5
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.sessions.steps import EVIDENCE_COLUMNS, Merge, Step

START = 0
"""The hash before the first step."""

_NONE = (1 << 64) - 1
_FACTOR = 0xBF58476D1CE4E5B9
_MASK = (1 << 64) - 1


def step_hash(previous: int, step: Step) -> int:
    """The hash of one step: the definition.

    Examples
    --------
    >>> first = step_hash(START, Merge(1, 5, 3))
    >>> step_hash(first, Merge(2, 6, 3)) == step_hash(first, Merge(2, 6, 4))
    False
    """
    displaced, leader = (
        (step.displaced, step.leader) if isinstance(step, Merge) else (None, step.nonterminal)
    )
    values = [step.step, displaced, leader, step.reason, step.cause, *(step.evidence or ())]
    for value in values:
        mixed = (previous ^ _word(value)) * _FACTOR & _MASK
        previous = mixed ^ mixed >> 32
    return previous


def _word(value: int | float | str | None) -> int:
    """A value in 64 bits: numbers by their bits, text by half of its MD5 digest."""
    if value is None:
        return _NONE
    if isinstance(value, str):
        digest = md5(value.encode(), usedforsecurity=False).digest()
        return int.from_bytes(digest[8:], "little")
    if isinstance(value, float):
        return int.from_bytes(struct.pack("<d", value), "little")
    return value


class _Words(NamedTuple):
    #: five for each step
    steps: NDArray[np.uint64]
    #: for each step the row of its evidence, or -1
    evidence_row: NDArray[np.int64]
    evidence: NDArray[np.uint64]


def chained(previous: int, steps: pa.Table) -> NDArray[np.uint64]:
    """The hashes of many steps, given as a table (`steps.SCHEMA`)."""
    words = _words(steps)
    return _chained(np.uint64(previous), words.steps, words.evidence_row, words.evidence)


def _words(steps: pa.Table) -> _Words:
    five = ("step", "displaced_id", "leader_id", "reason", "cause")
    there = np.asarray(steps["context_id"].is_valid())
    evidence = steps.filter(steps["context_id"].is_valid())
    row = np.where(there, np.cumsum(there) - 1, -1)
    words = np.empty((len(evidence), len(EVIDENCE_COLUMNS)), np.uint64)
    if len(evidence):  # merges by hand have none, and should not wait for it
        for place, name in enumerate(EVIDENCE_COLUMNS):
            words[:, place] = _column(evidence[name])
    return _Words(
        np.column_stack([_column(steps[name]) for name in five]), row.astype(np.int64), words
    )


def _column(column: pa.ChunkedArray) -> NDArray[np.uint64]:
    column = column.combine_chunks()
    empty = np.asarray(column.is_null())
    if pa.types.is_string(column.type):
        encoded = column.dictionary_encode()
        texts = np.array([_word(text) for text in encoded.dictionary.to_pylist()], np.uint64)
        places = np.asarray(encoded.indices.fill_null(0))
        words = texts[places] if len(texts) else np.zeros(len(column), np.uint64)
    elif pa.types.is_floating(column.type):
        words = np.asarray(column.fill_null(0.0)).astype(np.float64).view(np.uint64)
    else:
        words = np.asarray(column.fill_null(0)).astype(np.int64).view(np.uint64)
    return np.where(empty, np.uint64(_NONE), words)


@kernel
def _chained(
    previous: np.uint64,
    steps: NDArray[np.uint64],
    evidence_row: NDArray[np.int64],
    evidence: NDArray[np.uint64],
) -> NDArray[np.uint64]:
    factor, shift = np.uint64(0xBF58476D1CE4E5B9), np.uint64(32)
    hashes = np.empty(len(steps), np.uint64)
    for place in range(len(steps)):
        for word in steps[place]:
            previous = (previous ^ word) * factor
            previous ^= previous >> shift
        if evidence_row[place] >= 0:
            for word in evidence[evidence_row[place]]:
                previous = (previous ^ word) * factor
                previous ^= previous >> shift
        hashes[place] = previous
    return hashes
