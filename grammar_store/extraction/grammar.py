"""The initial grammar of a corpus: all parts of extraction, from phrase pairs to rules.

Rules need not all be in memory. They are enumerated up to three times, in the order of their
left-hand sides or of their length: to count them and find heights, to find out which share
a context and how much each context weighs, and to hand them out in chunks (`tables`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from grammar_store.bitext.corpus import Corpus
from grammar_store.compiling import kernel
from grammar_store.extraction.contexts import (
    ContextTable,
    ContextWeights,
    SlotRows,
    describe_slots,
)
from grammar_store.extraction.expansion import (
    Limits,
    RuleRows,
    Rules,
    RuleSource,
    expand,
    new_rules,
)
from grammar_store.extraction.nonterminals import PhraseTable, make_phrase_table
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.extraction.parallel import available_threads, run_ranges
from grammar_store.extraction.spans import span_ends
from grammar_store.extraction.text import Phrases, SideText

#: Rules that are worked on at once.
CHUNK = 1 << 19
#: Rules seen in the survey are kept, to be handed out without looking again, up to this size.
KEPT_BYTES = 1 << 29

Progress = Callable[[str, int, int], None]


def _size(rows: RuleRows) -> int:
    return sum(array.nbytes for array in rows)


def no_progress(stage: str, done: int, total: int) -> None:
    """Show nothing."""


class InitialGrammar:
    """The grammar of the paper's section 4.1, as arrays and chunks of rules.

    Parameters
    ----------
    corpus
        The word-aligned sentence pairs.
    options
        What to extract.
    threads
        How many cores to use; the result is the same for any number.
    progress
        Called with the name of a stage, how much of it is done and how much there is.

    Examples
    --------
    >>> corpus = Corpus.from_text([("das neue Haus", "the new house", "0-0 1-1 2-2"),
    ...                            ("das Haus", "the house", "0-0 1-1")])
    >>> grammar = InitialGrammar(corpus)
    >>> len(grammar.phrases.nonterminals.counts), int(grammar.rule_count.sum())
    (7, 18)
    """

    def __init__(
        self,
        corpus: Corpus,
        options: ExtractionOptions | None = None,
        threads: int | None = None,
        progress: Progress = no_progress,
    ) -> None:
        self.options = options or ExtractionOptions()
        self.threads = threads or available_threads()
        self._progress = progress
        self.source = SideText.of(corpus.source, is_target=False)
        self.target = SideText.of(corpus.target, is_target=True)
        progress("phrase pairs", 0, 1)
        self.phrases: PhraseTable = make_phrase_table(
            corpus, self.options, self.source, self.target, self.threads
        )
        progress("phrase pairs", 1, 1)
        table = self.phrases
        self._rule_source = RuleSource(
            table.sentences,
            table.occurrences,
            table.nonterminal_of,
            table.variants,
            Limits.of(self.options),
        )
        self._variants_of = np.diff(table.variants.starts)
        self.levels = self._levels()
        self._kept_rules: dict[int, RuleRows] = {}
        self.rule_count, self.slot_count, self.height = self._measure()

    def __len__(self) -> int:
        return len(self.phrases.nonterminals.counts)

    def _levels(self) -> list[NDArray[np.int64]]:
        """The non-terminals by length of both sides together, from short to long.

        A gap is shorter than its phrase pair, so that rules lead from a level to lower ones.
        """
        example = self.phrases.nonterminals.example
        start, end, target_start, target_end = (
            ends.astype(np.int32) for ends in span_ends(self.phrases.occurrences.span[example])
        )
        length = end - start + target_end - target_start
        # Within a level by place in the corpus: neighbours look at the same words.
        order = np.lexsort((example, length))
        return np.split(order, np.flatnonzero(np.diff(length[order])) + 1)

    def run(self, kernel: Callable[..., None], members: NDArray[np.int64], *more: Any) -> None:
        """Call a kernel that expands these left-hand sides, on all cores.

        It is called as ``kernel(start, stop, members, source, *more)`` for ranges of
        `members`, where `source` is what `expand` wants.
        """
        weights = self._variants_of[members]
        run_ranges(kernel, weights, members, self._rule_source, *more, threads=self.threads)

    def _measure(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
        """Number of rules, number of slots and height of each non-terminal."""
        rule_count = np.zeros(len(self), np.int64)
        slot_count = np.zeros(len(self), np.int64)
        height = np.zeros(len(self), np.int32)
        done = 0
        for members in self.levels:
            self.run(_measure_rules, members, rule_count, slot_count, height)
            done += len(members)
            self._progress("heights", done, len(self))
        return rule_count, slot_count, height

    def chunk_ranges(self) -> list[tuple[int, int]]:
        """Ranges of left-hand sides with about CHUNK rules each, at least one."""
        ends = np.cumsum(self.rule_count)
        cuts = [0]
        while cuts[-1] < len(self):
            seen = int(ends[cuts[-1] - 1]) if cuts[-1] else 0
            cuts.append(max(cuts[-1] + 1, int(np.searchsorted(ends, seen + CHUNK, "right"))))
        return list(itertools.pairwise(cuts))

    def rules(self, low: int, high: int) -> RuleRows:
        """All rules of the left-hand sides [low, high), in order."""
        if low in self._kept_rules:
            return self._kept_rules.pop(low)
        table = self.phrases
        starts = np.concatenate([[0], np.cumsum(self.rule_count[low:high])])
        size, width = int(starts[-1]), self.options.max_gaps
        rows = RuleRows(
            np.empty(size, np.int32),
            np.empty(size, np.uint8),
            np.empty(size, np.float64),
            np.empty((size, width), np.uint64),
            np.empty((size, width), np.int32),
        )
        run_ranges(
            _fill_rules,
            self.rule_count[low:high],
            low,
            self._rule_source,
            table.nonterminals.counts,
            starts,
            rows,
            threads=self.threads,
        )
        return rows

    def phrases_around(
        self,
        lhs: NDArray[np.int32],
        gaps: NDArray[np.uint64],
        fillers: NDArray[np.int32],
        hole: NDArray[np.uint8],
    ) -> Phrases:
        """The phrases of some slots: left-hand side, gaps, and which of these is the hole."""
        example = self.phrases.nonterminals.example[lhs]
        occurrences = self.phrases.occurrences
        return Phrases(
            occurrences.sentence[example], occurrences.span[example], gaps, fillers, hole
        )

    def survey(self) -> tuple[NDArray[np.int32], ContextWeights]:
        """The context (from 0, by first use) of every slot in order, and what each weighs."""
        total = int(self.slot_count.sum())
        contexts = ContextTable(self.threads, total // 2)
        context_of_slot = np.empty(total, np.int32)
        done = 0
        table = self.phrases
        for low, high in self.chunk_ranges():
            rows = self.rules(low, high)
            starts = rows.slot_starts()
            slots = SlotRows.room(int(starts[-1]))
            run_ranges(
                describe_slots,
                np.ones(len(rows.lhs), np.int64),
                rows,
                starts,
                table.nonterminals.example,
                table.occurrences,
                table.source_segments,
                table.target_segments,
                table.nonterminals.counts,
                slots,
                threads=self.threads,
            )
            context_of_slot[done : done + len(slots.counts)] = contexts.add(slots)
            done += len(slots.counts)
            if sum(map(_size, self._kept_rules.values())) + _size(rows) <= KEPT_BYTES:
                self._kept_rules[low] = rows
            self._progress("contexts", high, len(self))
        return context_of_slot, contexts.weights()


@kernel
def _measure_rules(
    start: int,
    stop: int,
    members: NDArray[np.int64],
    source: RuleSource,
    rule_count: NDArray[np.int64],
    slot_count: NDArray[np.int64],
    height: NDArray[np.int32],
) -> None:
    rules: Rules = new_rules(source.limits.max_gaps, 1024)
    for member in range(start, stop):
        lhs = members[member]
        found, rules = expand(lhs, source, rules)
        fillers = rules.fillers
        slots, highest = 0, 0
        for rule in range(found):
            for gap in range(source.limits.max_gaps):
                filler = fillers[rule, gap]
                if filler >= 0:
                    slots += 1
                    highest = max(highest, height[filler] + 1)
        rule_count[lhs], slot_count[lhs], height[lhs] = found, slots, highest


@kernel
def _fill_rules(
    start: int,
    stop: int,
    low: int,
    source: RuleSource,
    counts: NDArray[np.int64],
    starts: NDArray[np.int64],
    rows: RuleRows,
) -> None:
    rules: Rules = new_rules(source.limits.max_gaps, 1024)
    gaps, fillers, gap_count = rows.gaps, rows.fillers, rows.gap_count
    for i in range(start, stop):
        lhs = low + i
        found, rules = expand(lhs, source, rules)
        new_gaps, new_fillers = rules.gaps, rules.fillers
        for rule in range(found):
            row = starts[i] + rule
            rows.lhs[row] = lhs
            gap_count[row] = 0
            for gap in range(source.limits.max_gaps):
                gaps[row, gap] = new_gaps[rule, gap]
                fillers[row, gap] = new_fillers[rule, gap]
                if new_fillers[rule, gap] >= 0:
                    gap_count[row] += 1
            rows.counts[row] = (
                rules.counts[rule] if source.limits.per_occurrence else counts[lhs] / found
            )
