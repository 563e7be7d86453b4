"""The rows of the tables ``rule``, ``slot`` and ``context``, in chunks of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.extraction.contexts import ContextWeights
from grammar_store.extraction.grammar import CHUNK, InitialGrammar, Progress, no_progress
from grammar_store.extraction.text import side_text


class RuleChunk(NamedTuple):
    """Rows for the tables `rule` and `slot`."""

    rule: pa.Table
    slot: pa.Table


class FirstUses(NamedTuple):
    """Where some contexts are used first: a rule by left-hand side and gaps, and the slot."""

    lhs: NDArray[np.int32]
    gaps: NDArray[np.uint64]
    fillers: NDArray[np.int32]
    place: NDArray[np.int64]


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
        self._keep = np.ones(len(weights.uses), np.bool_) if keep is None else keep
        self._progress = progress
        kept = np.flatnonzero(self._keep)
        self._by_id = kept[np.argsort(-weights.uses[kept], kind="stable")]
        self._id = np.zeros(len(weights.uses), np.int32)
        self._id[self._by_id] = np.arange(1, len(kept) + 1, dtype=np.int32)
        self._first_uses: list[FirstUses] = []

    def rules(self) -> Iterator[RuleChunk]:
        """All rules and slots, in order of rule ids; first uses of contexts are noted."""
        next_rule, seen, done = 1, 0, 0
        grammar = self._grammar
        for low, high in grammar.chunk_ranges():
            rows = grammar.rules(low, high)
            rule, place = grammar.slots(rows)
            context = self._context_of_slot[done : done + len(rule)]
            done += len(rule)
            kept = self._keep[context]
            stays = np.ones(len(rows.lhs), np.bool_)
            stays[rule[~kept]] = False
            # The survey numbers by first use: a number above all before it is a first use.
            top = np.maximum.accumulate(np.concatenate([[seen - 1], context]))
            first = np.flatnonzero((top[1:] > top[:-1]) & kept)
            seen = int(top[-1]) + 1
            self._first_uses.append(
                FirstUses(
                    rows.lhs[rule[first]], rows.gaps[rule[first]], rows.fillers[rule[first]],
                    place[first],
                )
            )  # fmt: skip
            rule, place, context = rule[kept], place[kept], context[kept]
            rule_id = next_rule - 1 + np.cumsum(stays)
            next_rule += int(stays.sum())
            yield RuleChunk(
                pa.table(
                    {
                        "rule_id": rule_id[stays],
                        "lhs_id": rows.lhs[stays] + np.int32(1),
                        "count": rows.counts[stays],
                        "gaps": rows.gap_count[stays],
                    }
                ),
                pa.table(
                    {
                        "rule_id": rule_id[rule],
                        "position": (place + 1).astype(np.uint8),
                        "nonterminal_id": rows.fillers[rule, place] + np.int32(1),
                        "context_id": self._id[context],
                    }
                ),
            )
            self._progress("rules", high, len(grammar))

    def contexts(self) -> Iterator[pa.Table]:
        """All contexts in order of ids; to be asked for after all `rules`."""
        if not self._first_uses:
            return
        uses = FirstUses(*map(np.concatenate, zip(*self._first_uses, strict=True)))
        place_of = np.cumsum(self._keep) - 1
        for start in range(0, len(self._by_id), CHUNK):
            contexts = self._by_id[start : start + CHUNK]
            at = place_of[contexts]
            phrases = self._grammar.phrases_around(
                uses.lhs[at], uses.gaps[at], uses.fillers[at], uses.place[at]
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
