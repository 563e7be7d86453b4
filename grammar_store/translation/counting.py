"""Counts of rules: every phrase pair spreads 1 evenly over its rules, and equal rules add up.

Instances come in chunks, in the order of their phrase pairs, and only distinct ones are kept: what
is in memory grows with the rules, not with the corpus. Sums are made in that order whatever the
number of threads, because the sum of floats depends on it.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.expansion import Rules, RuleSource, Variants, expand, new_rules
from grammar_store.extraction.grammar import Progress, no_progress
from grammar_store.extraction.numbering import Numbering
from grammar_store.extraction.parallel import run_ranges
from grammar_store.translation.layout import (
    READING,
    RULE,
    SOURCE,
    TARGET,
    Instances,
    Room,
    Scene,
    describe,
    new_room,
    points_before,
)

#: Instances that are worked on at once.
CHUNK = 1 << 19

# Counts are compared in grains: those that are equal as fractions can differ as sums of floats.
_GRAIN = 2.0**30


class CountedRules(NamedTuple):
    """The rules of a translation grammar, a row each.

    Numbers of sides are from 0: rules with the same number have the same side.
    """

    #: where each is found with its most frequent points; of equals, those that come first
    instances: Instances
    #: the label on the left
    lhs: NDArray[np.int32]
    counts: NDArray[np.float64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]


def count_rules(
    scene: Scene, source: RuleSource, threads: int, progress: Progress = no_progress
) -> CountedRules:
    """Count the rules of all phrase pairs.

    Parameters
    ----------
    scene
        The corpus, its phrase pairs and their labels.
    source
        What rules follow from, for `expand`: labels in place of non-terminals, and each variant
        of a phrase pair by itself.
    threads
        Cores to use; the result is the same for any number.
    progress
        Called with the name of a stage, how much of it is done and how much there is.
    """
    readings, mass = _readings(scene, source, threads, progress)
    rule_of, rules = _number(RULE, scene, readings, threads)
    best = np.full(rules, -1, np.int64)
    _choose(scene, readings, np.rint(mass * _GRAIN), rule_of, best)
    counts = sums(rule_of, mass)
    instances = readings.take(best)
    del readings, mass, rule_of
    source_side, _ = _number(SOURCE, scene, instances, threads)
    target_side, _ = _number(TARGET, scene, instances, threads)
    lhs = scene.labels[instances.occurrence]
    return CountedRules(instances, lhs, counts, source_side, target_side)


def each_alone(variants: Variants) -> Variants:
    """The variants as if each belonged to a phrase pair of its own."""
    starts = np.arange(len(variants.occurrence) + 1)
    return Variants(starts, variants.occurrence, variants.weight)


def sums(numbers: NDArray[np.int32], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the values with each number, made in their order.

    Examples
    --------
    >>> sums(np.array([0, 1, 0], np.int32), np.array([0.5, 2.0, 0.25])).tolist()
    [0.75, 2.0]
    """
    return np.asarray(np.bincount(numbers, values), np.float64)


def _readings(
    scene: Scene, source: RuleSource, threads: int, progress: Progress
) -> tuple[Instances, NDArray[np.float64]]:
    """One instance of each distinct rule with points, and the mass of all of them."""
    variants, max_gaps = len(source.variants.occurrence), source.limits.max_gaps
    sizes = np.zeros(variants, np.int64)
    run_ranges(_measure, np.ones(variants, np.int64), source, sizes, threads=threads)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    numbering = Numbering(threads)
    kept, mass = Instances.room(CHUNK, max_gaps), np.zeros(CHUNK)
    for low, high in _chunks(ends):
        rows = Instances.room(int(ends[high] - ends[low]), max_gaps)
        shares = np.empty(len(rows.occurrence))
        run_ranges(
            _fill, sizes[low:high], low, source, ends, rows, shares, threads=threads
        )  # fmt: skip
        seen = len(numbering)
        numbers = numbering.number(_keys(READING, scene, rows, threads))
        if len(numbering) > len(mass):
            kept, mass = _grown(kept, mass, max(len(numbering), 2 * len(mass)))
        _add(rows, shares, numbers, seen, kept, mass)
        progress("rules", high, variants)
    return kept.take(slice(len(numbering))), mass[: len(numbering)]


def _chunks(ends: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Ranges of variants with about CHUNK instances each, at least one variant."""
    cuts, last = [0], len(ends) - 1
    while cuts[-1] < last:
        full = int(np.searchsorted(ends, ends[cuts[-1]] + CHUNK, "right")) - 1
        cuts.append(max(cuts[-1] + 1, full))
    return list(itertools.pairwise(cuts))


def _grown(
    kept: Instances, mass: NDArray[np.float64], size: int
) -> tuple[Instances, NDArray[np.float64]]:
    more, more_mass = Instances.room(size, kept.gaps.shape[1]), np.zeros(size)
    more.occurrence[: len(mass)] = kept.occurrence
    more.gaps[: len(mass)] = kept.gaps
    more.labels[: len(mass)] = kept.labels
    more_mass[: len(mass)] = mass
    return more, more_mass


def _keys(kind: int, scene: Scene, rows: Instances, threads: int) -> NDArray[np.uint64]:
    keys = np.empty((len(rows.occurrence), 2), np.uint64)
    run_ranges(
        describe, np.ones(len(keys), np.int64), scene, rows, kind, keys, threads=threads
    )  # fmt: skip
    return keys


def _number(
    kind: int, scene: Scene, instances: Instances, threads: int
) -> tuple[NDArray[np.int32], int]:
    """Number instances by what makes them the same; also how many numbers there are."""
    numbering = Numbering(threads)
    size = len(instances.occurrence)
    numbers = np.empty(size, np.int32)
    for start in range(0, size, CHUNK):
        chunk = slice(start, start + CHUNK)
        numbers[chunk] = numbering.number(_keys(kind, scene, instances.take(chunk), threads))
    return numbers, len(numbering)


@kernel
def _measure(start: int, stop: int, source: RuleSource, sizes: NDArray[np.int64]) -> None:
    rules: Rules = new_rules(source.limits.max_gaps, 1024)
    for variant in range(start, stop):
        sizes[variant], rules = expand(variant, source, rules)


@kernel
def _fill(
    start: int,
    stop: int,
    low: int,
    source: RuleSource,
    ends: NDArray[np.int64],
    rows: Instances,
    shares: NDArray[np.float64],
) -> None:
    """Write the instances of variants, each with its share of the occurrences."""
    rules: Rules = new_rules(source.limits.max_gaps, 1024)
    for variant in range(low + start, low + stop):
        found, rules = expand(variant, source, rules)
        first = ends[variant] - ends[low]
        for rule in range(found):
            rows.occurrence[first + rule] = source.variants.occurrence[variant]
            shares[first + rule] = rules.counts[rule]
            for gap in range(source.limits.max_gaps):
                rows.gaps[first + rule, gap] = rules.gaps[rule, gap]
                rows.labels[first + rule, gap] = rules.fillers[rule, gap]


@kernel
def _add(
    rows: Instances,
    shares: NDArray[np.float64],
    numbers: NDArray[np.int32],
    seen: int,
    kept: Instances,
    mass: NDArray[np.float64],
) -> None:
    """Add up shares, in order, and keep the first instance of each number from `seen` on."""
    for row in range(len(numbers)):
        number = numbers[row]
        if number == seen:
            kept.occurrence[seen] = rows.occurrence[row]
            for gap in range(kept.gaps.shape[1]):
                kept.gaps[seen, gap] = rows.gaps[row, gap]
                kept.labels[seen, gap] = rows.labels[row, gap]
            seen += 1
        mass[number] += shares[row]


@kernel
def _choose(
    scene: Scene,
    readings: Instances,
    grains: NDArray[np.float64],
    rule_of: NDArray[np.int32],
    best: NDArray[np.int64],
) -> None:
    """The reading of greatest mass of each rule; of equals, the one whose points come first."""
    one: Room = new_room(scene, readings)
    two: Room = new_room(scene, readings)
    for reading in range(len(rule_of)):
        rule = rule_of[reading]
        other = best[rule]
        if (
            other < 0
            or grains[reading] > grains[other]
            or (
                grains[reading] == grains[other]
                and points_before(scene, readings, reading, other, one, two)
            )
        ):
            best[rule] = reading
