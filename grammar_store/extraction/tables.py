"""The rows of the tables ``rule``, ``slot`` and ``context``, in chunks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.compiling import kernel
from grammar_store.extraction.contexts import ContextWeights
from grammar_store.extraction.expansion import RuleRows
from grammar_store.extraction.grammar import CHUNK, InitialGrammar, Progress, no_progress
from grammar_store.extraction.parallel import run_ranges
from grammar_store.extraction.text import side_text

Columns = dict[str, NDArray[Any]]


class RuleChunk(NamedTuple):
    """Rows for the tables `rule` and `slot`."""

    rule: pa.Table
    slot: pa.Table


class FirstUses(NamedTuple):
    """Where each context, by id, is used first: the rule by left-hand side and gaps, the hole."""

    lhs: NDArray[np.int32]
    gaps: NDArray[np.uint64]
    fillers: NDArray[np.int32]
    hole: NDArray[np.uint8]

    @classmethod
    def room(cls, size: int, max_gaps: int) -> FirstUses:
        return cls(
            np.empty(size, np.int32),
            np.empty((size, max_gaps), np.uint64),
            np.empty((size, max_gaps), np.int32),
            np.empty(size, np.uint8),
        )


class GrammarTables:
    """Numbers rules and contexts as the store has them and makes their rows.

    Contexts with many slots get small ids (ties: by first use). So what two non-terminals
    share lies close together in the store, and is found without reading all contexts.

    Parameters
    ----------
    grammar, context_of_slot, weights
        The grammar and what its `survey` gave.
    keep
        For each context whether to keep it, with its rules (grammars with one gap only);
        None keeps all.
    """

    def __init__(
        self,
        grammar: InitialGrammar,
        context_of_slot: NDArray[np.int32],
        weights: ContextWeights,
        keep: NDArray[np.bool_] | None = None,
        progress: Progress = no_progress,
    ) -> None:
        self._grammar = grammar
        self._context_of_slot = context_of_slot
        self._energy = weights.energy
        self._progress = progress
        self._pruned = keep is not None
        kept = np.arange(len(weights.uses)) if keep is None else np.flatnonzero(keep)
        self._by_id = kept[np.argsort(-weights.uses[kept], kind="stable")]
        # By number of the survey; 0 for those left out.
        self._id = np.zeros(len(weights.uses), np.int32)
        self._id[self._by_id] = np.arange(1, len(kept) + 1, dtype=np.int32)
        self._uses = FirstUses.room(len(kept), grammar.options.max_gaps)

    def rules(self) -> Iterator[RuleChunk]:
        """All rules and slots, in order of rule ids; first uses of contexts are noted."""
        next_rule, seen, done = 1, 0, 0
        for low, high in self._grammar.chunk_ranges():
            rows = self._grammar.rules(low, high)
            starts = rows.slot_starts()
            context = self._context_of_slot[done : done + int(starts[-1])]
            done += len(context)
            seen = _note_first_uses(rows, starts, context, self._id, seen, self._uses)
            slots = self._slots(rows, starts, context, next_rule)
            rules = {
                "rule_id": np.arange(next_rule, next_rule + len(rows.lhs)),
                "lhs_id": rows.lhs + np.int32(1),
                "count": rows.counts,
                "gaps": rows.gap_count,
            }
            if self._pruned:
                rules, slots = _without_pruned(rules, slots)
            next_rule += len(rules["rule_id"])
            yield RuleChunk(pa.table(rules), pa.table(slots))
            self._progress("rules", high, len(self._grammar))

    def _slots(
        self, rows: RuleRows, starts: NDArray[np.int64], context: NDArray[np.int32], first_rule: int
    ) -> Columns:
        size = len(context)
        rule_id, position = np.empty(size, np.int64), np.empty(size, np.uint8)
        filler_id, context_id = np.empty(size, np.int32), np.empty(size, np.int32)
        run_ranges(
            _fill_slots, np.ones(len(rows.lhs), np.int64), rows.fillers, starts, context, self._id,
            first_rule, rule_id, position, filler_id, context_id, threads=self._grammar.threads,
        )  # fmt: skip
        return {
            "rule_id": rule_id,
            "position": position,
            "nonterminal_id": filler_id,
            "context_id": context_id,
        }

    def contexts(self) -> Iterator[pa.Table]:
        """All contexts in order of ids; to be asked for after all `rules`."""
        for start in range(0, len(self._by_id), CHUNK):
            chunk = slice(start, start + CHUNK)
            contexts = self._by_id[chunk]
            uses = self._uses
            phrases = self._grammar.phrases_around(
                uses.lhs[chunk], uses.gaps[chunk], uses.fillers[chunk], uses.hole[chunk]
            )
            yield pa.table(
                {
                    "context_id": self._id[contexts],
                    "source": side_text(self._grammar.source, phrases, self._grammar.threads),
                    "target": side_text(self._grammar.target, phrases, self._grammar.threads),
                    "energy": self._energy[contexts],
                }
            )
            self._progress("texts", start + len(contexts), len(self._by_id))


def _without_pruned(rules: Columns, slots: Columns) -> tuple[Columns, Columns]:
    """Leave out the slots of contexts that are not kept, and their rules; number anew."""
    kept = slots["context_id"] > 0
    first = rules["rule_id"][0]
    stays = np.ones(len(rules["rule_id"]), np.bool_)
    stays[slots["rule_id"][~kept] - first] = False
    number = first - 1 + np.cumsum(stays)
    rules = {name: column[stays] for name, column in rules.items()}
    slots = {name: column[kept] for name, column in slots.items()}
    return (
        rules | {"rule_id": number[stays]},
        slots | {"rule_id": number[slots["rule_id"] - first]},
    )


@kernel
def _fill_slots(
    start: int,
    stop: int,
    fillers: NDArray[np.int32],
    slot_starts: NDArray[np.int64],
    context: NDArray[np.int32],
    ids: NDArray[np.int32],
    first_rule: int,
    rule_id: NDArray[np.int64],
    position: NDArray[np.uint8],
    filler_id: NDArray[np.int32],
    context_id: NDArray[np.int32],
) -> None:
    """Write the slots of rules [start, stop)."""
    for row in range(start, stop):
        first = slot_starts[row]
        for gap in range(slot_starts[row + 1] - first):
            rule_id[first + gap] = first_rule + row
            position[first + gap] = gap + 1
            filler_id[first + gap] = fillers[row, gap] + 1
            context_id[first + gap] = ids[context[first + gap]]


@kernel
def _note_first_uses(
    rows: RuleRows,
    slot_starts: NDArray[np.int64],
    context: NDArray[np.int32],
    ids: NDArray[np.int32],
    seen: int,
    uses: FirstUses,
) -> int:
    """Note the first uses of contexts from number `seen` on; give how many are seen now.

    The survey numbers by first use, so that new ones come in order.
    """
    for row in range(len(slot_starts) - 1):
        for slot in range(slot_starts[row], slot_starts[row + 1]):
            if context[slot] != seen:
                continue
            place = ids[seen] - 1
            if place >= 0:
                uses.lhs[place] = rows.lhs[row]
                uses.hole[place] = slot - slot_starts[row]
                for gap in range(uses.gaps.shape[1]):
                    uses.gaps[place, gap] = rows.gaps[row, gap]
                    uses.fillers[place, gap] = rows.fillers[row, gap]
            seen += 1
    return seen
