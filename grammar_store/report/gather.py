"""Reading what a report says from a store, set by set and never more than it shows."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from grammar_store.errors import NotInStoreError, SessionError
from grammar_store.extraction.grammar import Progress
from grammar_store.report.content import (
    Card,
    Content,
    Context,
    Labels,
    Pair,
    Sentence,
    Shared,
    Stops,
)
from grammar_store.report.history import chain, choose_stops, largest_at, merged_at, moves
from grammar_store.report.limits import Limits
from grammar_store.resources import sql
from grammar_store.sessions.forest import leaders_at
from grammar_store.sessions.steps import SCHEMA, Merge, Step, to_steps
from grammar_store.statistics import alpha_at
from grammar_store.store.database import Database

LONGEST_CHAIN = 8
_LARGEST = 12
_SHARED = 3
_AMONG = 50
_BEST_WORDS = 8


def gather(
    database: Database, name: str, at: int | None, limits: Limits, progress: Progress
) -> Content:
    """Read what a report on a session says, as of a step or of the last.

    Raises
    ------
    NotInStoreError
        There is no such session.
    SessionError
        It has no such step.
    """
    session = _session(database, name, at)
    last = session["step"]
    with database.cursor() as cursor:
        progress("classes", 0, 0)
        line = database.execute_file("sessions/line", id=session["session_id"]).slice(0, last)
        displaced = _numbers(line["displaced_id"])
        leader = _numbers(line["leader_id"])
        known = database.execute_file("queries/nonterminal_counts")["count"].to_numpy()
        counts = np.concatenate([[0], known]).astype(np.int64)
        leaders = leaders_at(displaced, leader, len(counts))
        labels = Labels(leaders, counts)
        promoted = np.zeros(len(counts), np.bool_)
        promoted[leaders[leader[displaced == 0]]] = True
        cards, eligible = _cards(labels, promoted, limits)

        progress("history", 0, 0)
        moved = moves(displaced, leader, counts)
        numbers = choose_stops(moved.occurrences, limits.steps)
        merged = np.concatenate([[0], np.cumsum(displaced != 0)])
        stops = Stops(
            numbers,
            len(counts) - 1 - merged[numbers],
            moved,
            largest_at(displaced, leader, counts, numbers, _LARGEST),
        )
        joined = merged_at(displaced, len(counts))
        for card in cards:
            others = [member for member in card.members if member != card.leader]
            card.pairs = [
                Pair(member, card.leader, chain(joined, leader, member, LONGEST_CHAIN))
                for member in others[: limits.pairs]
            ]
        close = _close(database, session["session_id"], last, min(limits.steps, 20))
        wanted = {int(number) for number in numbers} | set(close)
        wanted.update(step for card in cards for pair in card.pairs for step in pair.chain.steps)
        steps = _steps(database, session["session_id"], wanted)

        progress("contexts", 0, 0)
        ids = np.arange(1, len(counts), dtype=np.int32)
        cursor.register("state", pa.table({"nonterminal_id": ids, "leader_id": leaders[1:]}))
        _add_contexts(cursor, cards, limits)
        progress("pairs", 0, 0)
        _add_shared(cursor, cards)
        progress("sentences", 0, 0)
        sentences = _sentences(cursor, cards)
        _add_examples(cards, sentences, limits)
        progress("texts", 0, 0)
        texts, contexts = _texts(cursor, cards, steps.values(), stops)
        index = [
            (row["source"], row["target"], labels.number(row["nonterminal_id"]))
            for row in _rows(cursor, "report/most_frequent", rows=limits.search)
        ]
    return Content(
        store=_store(database),
        session=session | {"merges": int(merged[-1]), "promotions": last - int(merged[-1])},
        counts=counts,
        labels=labels,
        alone=len(labels.order) - eligible,
        eligible=eligible,
        cards=cards,
        stops=stops,
        steps=steps,
        close=close,
        texts=texts,
        contexts=contexts,
        sentences=sentences,
        in_classes=_in_classes(database),
        index=index,
    )


def _session(database: Database, name: str, at: int | None) -> dict[str, Any]:
    rows = database.execute_file("sessions/listing").to_pylist()
    found = [row for row in rows if row["name"] == name]
    if not found:
        names = ", ".join(row["name"] for row in rows[:10])
        raise NotInStoreError(f"no session {name!r}" + (f"; there are: {names}" if names else ""))
    (row,) = database.execute_file("sessions/session_by_name", session_name=name).to_pylist()
    last = row["last_step"]
    if at is not None and not 0 <= at <= last:
        raise SessionError(f"there is no step {at}: the session has {last}")
    parameters = json.loads(row["parameters"])
    row |= {"parameters": parameters, "parent": found[0]["parent"]}
    return row | {"step": last if at is None else at}


def _store(database: Database) -> dict[str, Any]:
    found = database.execute_file("queries/store_info").to_pylist()
    return {"name": database.path.name} | (found[0] if found else {})


def _in_classes(database: Database) -> bool:
    return bool(database.execute_file("report/in_classes")["in_classes"][0].as_py())


def _numbers(column: pa.ChunkedArray) -> NDArray[np.int32]:
    """Ids as an array, 0 for none."""
    return np.array(column.fill_null(0).to_numpy(), np.int32)


def _cards(labels: Labels, promoted: NDArray[np.bool_], limits: Limits) -> tuple[list[Card], int]:
    """The largest classes with their most frequent members, and how many could have a card."""
    order = labels.order
    # A few merges leave very many classes of one member, which are not worth a card each; where
    # all classes fit, they are the outcome.
    all_fit = len(order) <= limits.classes
    eligible = np.flatnonzero((labels.members > 1) | promoted[order] | all_fit)
    shown = eligible[: limits.classes]
    cards = []
    for place in shown.tolist():
        leader = int(order[place])
        cards.append(
            Card(
                label=labels[leader],
                leader=leader,
                size=int(labels.members[place]),
                count=int(labels.totals[place]),
                promoted=bool(promoted[leader]),
                members=labels.first_members(place, limits.members),
            )
        )
    return cards, len(eligible)


def _close(database: Database, session: int, last: int, most: int) -> list[int]:
    """The merges that came closest to failing: at the smallest change of the level they would."""
    rows = database.execute_file("report/closest", id=session, last=last, rows=most).to_pylist()

    def flips_at(row: dict[str, Any]) -> tuple[float, int]:
        level = float(alpha_at(row["d"])) if row["p_value"] is None else row["p_value"]
        return level, row["step"]

    return [row["step"] for row in sorted(rows, key=flips_at)[:most]]


def _steps(database: Database, session: int, wanted: set[int]) -> dict[int, Step]:
    table = database.execute_file("sessions/chosen_steps", id=session, steps=sorted(wanted))
    return {step.step: step for step in to_steps(table.select(SCHEMA.names))}


def _rows(cursor: duckdb.DuckDBPyConnection, name: str, **values: Any) -> list[dict[str, Any]]:
    found = cursor.sql(sql(name), params=values) if values else cursor.sql(sql(name))
    rows: list[dict[str, Any]] = found.to_arrow_table().to_pylist()
    return rows


def _register(cursor: duckdb.DuckDBPyConnection, name: str, **ids: Iterable[int]) -> None:
    cursor.register(name, pa.table({key: pa.array(list(ids[key]), pa.int32()) for key in ids}))


def _add_contexts(cursor: duckdb.DuckDBPyConnection, cards: list[Card], limits: Limits) -> None:
    if not limits.contexts or not cards:
        return
    _register(cursor, "wanted", leader_id=[card.leader for card in cards])
    by_leader = {card.leader: card for card in cards}
    for row in _rows(cursor, "sessions/class_contexts", rows=limits.contexts):
        card = by_leader[row["leader_id"]]
        card.all_contexts = row["contexts"]
        share = row["count"] / card.count
        card.contexts.append(Context(row["source"], row["target"], row["members"], share))


def _add_shared(cursor: duckdb.DuckDBPyConnection, cards: list[Card]) -> None:
    pairs = {(pair.member, pair.leader): pair for card in cards for pair in card.pairs}
    if not pairs:
        return
    first, second = zip(*pairs, strict=True)
    _register(cursor, "pairs", first_id=first, second_id=second)
    for row in _rows(cursor, "report/shared", rows=_SHARED):
        pair = pairs[row["first_id"], row["second_id"]]
        pair.contexts = row["contexts"]
        pair.shared.append(Shared(row["source"], row["target"], row["p1"], row["p2"]))


def _sentences(cursor: duckdb.DuckDBPyConnection, cards: list[Card]) -> dict[int, Sentence]:
    members = sorted({member for card in cards for member in card.members})
    _register(cursor, "wanted", nonterminal_id=members)
    found = _rows(cursor, "report/examples", among=_AMONG, words=_BEST_WORDS)
    return {
        row["nonterminal_id"]: Sentence(
            row["sentence_id"],
            _cut(row["source"], row["source_start"], row["source_end"]),
            _cut(row["target"], row["target_start"], row["target_end"]),
        )
        for row in found
    }


def _cut(sentence: str, start: int, end: int) -> tuple[str, str, str]:
    words = sentence.split(" ")
    return " ".join(words[:start]), " ".join(words[start:end]), " ".join(words[end:])


def _add_examples(cards: list[Card], sentences: dict[int, Sentence], limits: Limits) -> None:
    """Sentences of the most frequent members, no sentence twice on a card."""
    for card in cards:
        seen: set[int] = set()
        for member in card.members:
            sentence = sentences.get(member)
            if len(seen) < limits.examples and sentence and sentence.number not in seen:
                seen.add(sentence.number)
                card.examples.append((member, sentence))


def _texts(
    cursor: duckdb.DuckDBPyConnection, cards: list[Card], steps: Iterable[Step], stops: Stops
) -> tuple[dict[int, tuple[str, str]], dict[int, tuple[str, str]]]:
    """What is mentioned reads: non-terminals and contexts, by id."""
    ids = {int(each) for each in np.unique(stops.largest.leaders) if each}
    contexts: set[int] = set()
    for card in cards:
        ids.update([card.leader, *card.members])
    for step in steps:
        ids.update(parts(step))
        if step.evidence is not None:
            ids.update([step.evidence.filler1_id, step.evidence.filler2_id])
            contexts.add(step.evidence.context_id)
    _register(cursor, "wanted", nonterminal_id=sorted(ids))
    texts = _rows(cursor, "queries/nonterminals_by_id")
    _register(cursor, "wanted", context_id=sorted(contexts))
    read = _rows(cursor, "queries/contexts_by_id")
    return (
        {row["nonterminal_id"]: (row["source"], row["target"]) for row in texts},
        {row["context_id"]: (row["source"], row["target"]) for row in read},
    )


def parts(step: Step) -> tuple[int, ...]:
    """The non-terminals of a step: displaced and leader, or the one promoted."""
    return (step.displaced, step.leader) if isinstance(step, Merge) else (step.nonterminal,)
