"""The steps of a session: merges and promotions, one by one or as an Arrow table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from grammar_store.errors import OptionError

REASONS = ("tested", "forced", "manual", "clustered", "must-merge")
"""Why a step was made."""


class Evidence(NamedTuple):
    """The comparison that decided a step: see the table ``evidence``."""

    context_id: int
    filler1_id: int
    filler2_id: int
    lhs1_id: int | None
    lhs2_id: int | None
    c1: float
    big_c1: float
    c2: float
    big_c2: float
    d: float
    bound: float
    p_value: float | None
    test: str
    depth: int


@dataclass(frozen=True)
class Merge:
    """One merge: `leader` stands for `displaced` from this step on; both are ids.

    Attributes
    ----------
    step
        Its number. In steps to be made 0 stands for the next one.
    reason
        One of `REASONS`.
    cause
        The step that forced it, where the reason is ``forced``.
    """

    step: int
    displaced: int
    leader: int
    reason: str = "manual"
    cause: int | None = None
    evidence: Evidence | None = None


@dataclass(frozen=True)
class Promotion:
    """One promotion: `nonterminal` was found to be like no other that has been promoted."""

    step: int
    nonterminal: int
    reason: str = "manual"
    cause: int | None = None
    evidence: Evidence | None = None


Step = Merge | Promotion

_EVIDENCE = {
    **dict.fromkeys(("context_id", "filler1_id", "filler2_id", "lhs1_id", "lhs2_id"), pa.int32()),
    **dict.fromkeys(("c1", "big_c1", "c2", "big_c2", "d", "bound", "p_value"), pa.float64()),
    "test": pa.string(),
    "depth": pa.int32(),
}
EVIDENCE_COLUMNS = Evidence._fields
SCHEMA = pa.schema(
    {
        "step": pa.int64(),
        "displaced_id": pa.int32(),
        "leader_id": pa.int32(),
        "reason": pa.string(),
        "cause": pa.int64(),
        **_EVIDENCE,
    }
)
"""Steps as a table: a promotion of X has X as leader_id and no displaced_id."""


def to_table(steps: Sequence[Step]) -> pa.Table:
    """Steps as a table with the columns of `SCHEMA`.

    Examples
    --------
    >>> to_table([Merge(1, 5, 3), Promotion(2, 3)]).select(["step", "displaced_id", "leader_id"])
    ... # doctest: +ELLIPSIS
    pyarrow.Table
    ...
    displaced_id: [[5,null]]
    leader_id: [[3,3]]
    """
    rows = []
    for each in steps:
        displaced, leader = (
            (each.displaced, each.leader) if isinstance(each, Merge) else (None, each.nonterminal)
        )
        row: dict[str, Any] = {"step": each.step, "displaced_id": displaced, "leader_id": leader}
        row |= {"reason": each.reason, "cause": each.cause}
        rows.append(row | (each.evidence._asdict() if each.evidence else {}))
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def to_steps(table: pa.Table) -> Iterator[Step]:
    """The rows of a table with the columns of `SCHEMA`, one by one."""
    columns = [table[name].to_pylist() for name in SCHEMA.names]
    for step, displaced, leader, reason, cause, *numbers in zip(*columns, strict=True):
        evidence = None if numbers[0] is None else Evidence(*numbers)
        if displaced is None:
            yield Promotion(step, leader, reason, cause, evidence)
        else:
            yield Merge(step, displaced, leader, reason, cause, evidence)


def completed(table: pa.Table, last_step: int) -> pa.Table:
    """Steps to follow `last_step`, with all columns of `SCHEMA` and their numbers.

    Parameters
    ----------
    table
        Has displaced_id and leader_id; of the others what is known: reason is ``tested`` where
        not given, everything else NULL.
    last_step
        What the first step is one more than. Numbers given must fit, or be 0.

    Examples
    --------
    >>> made = completed(pa.table({"displaced_id": [5, 6], "leader_id": [3, 3]}), 7)
    >>> made["step"].to_pylist(), made["reason"].to_pylist()
    ([8, 9], ['tested', 'tested'])
    """
    unknown = sorted(set(table.column_names) - set(SCHEMA.names))
    if unknown:
        raise OptionError(f"steps have no column {unknown[0]!r}: use {', '.join(SCHEMA.names)}")
    for needed in ("displaced_id", "leader_id"):
        if needed not in table.column_names:
            raise OptionError(f"steps need a column {needed}")
    rows = table.num_rows
    numbers = pa.array(np.arange(last_step + 1, last_step + rows + 1))
    if "step" in table.column_names:
        given = pc.fill_null(table["step"].cast(pa.int64()), 0)
        wrong = pc.and_(pc.not_equal(given, 0), pc.not_equal(given, numbers))
        if pc.any(wrong).as_py():
            raise OptionError(f"steps must be numbered from {last_step + 1} on, or all 0")
    columns = {"step": numbers, "reason": pa.repeat(pa.scalar("tested"), rows)}
    columns |= {name: table[name] for name in table.column_names if name != "step"}
    made = pa.table(
        {field.name: columns.get(field.name, pa.nulls(rows, field.type)) for field in SCHEMA}
    )
    try:
        made = made.cast(SCHEMA)
    except pa.ArrowException as problem:
        raise OptionError(f"a table cannot be taken as steps: {problem}") from None
    _require_sense(made)
    return made


def _require_sense(steps: pa.Table) -> None:
    """Refuse what the tables would refuse, in words."""
    if steps["leader_id"].null_count:
        raise OptionError("every step needs a leader_id")
    for reason in pc.unique(steps["reason"]).to_pylist():
        if reason not in REASONS:
            raise OptionError(f"reason must be one of {', '.join(REASONS)}, not {reason!r}")
    caused = pc.is_valid(steps["cause"])
    if not pc.equal(steps["reason"], "forced").equals(caused):
        raise OptionError("a step has a cause if, and only if, its reason is forced")
    causes, numbers = steps["cause"].filter(caused), steps["step"].filter(caused)
    earlier = pc.and_(pc.greater(causes, 0), pc.less(causes, numbers))
    if pc.all(earlier).as_py() is False:
        raise OptionError("the cause of a step must be an earlier step")
    for name in set(EVIDENCE_COLUMNS) - {"lhs1_id", "lhs2_id", "p_value"}:
        if not pc.is_valid(steps[name]).equals(pc.is_valid(steps["context_id"])):
            raise OptionError(f"evidence is incomplete: context_id and {name} go together")
