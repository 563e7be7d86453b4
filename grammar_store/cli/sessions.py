"""The commands that look at sessions: sessions, history, classes, diff and why."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grammar_store.cli.output import print_json, print_table, records, visible, working
from grammar_store.cli.stores import AT, FILE, JSON, SESSION, at_most, reading, resumed, writing

if TYPE_CHECKING:
    import pandas as pd

    from grammar_store.sessions.steps import Merge


@click.command()
@click.argument("file", type=FILE)
@click.option("--delete", metavar="NAME", help="Delete a session; branches keep what they share.")
@click.option("--describe", nargs=2, metavar="NAME TEXT", help="Say what a session is about.")
@click.option("--rename", nargs=2, metavar="NAME NEW", help="Give a session another name.")
@click.option("--close", metavar="NAME", help="Let a session take no more steps.")
@click.option("--reopen", metavar="NAME", help="Let it take steps again.")
@JSON
def sessions(
    file: Path,
    delete: str | None,
    describe: tuple[str, str] | None,
    rename: tuple[str, str] | None,
    close: str | None,
    reopen: str | None,
    as_json: bool,
) -> None:
    """List the sessions of a store; with an option, change one of them first."""
    wanted = [each for each in (delete, describe, rename, close, reopen) if each is not None]
    if len(wanted) > 1:
        raise click.UsageError("give one of --delete, --describe, --rename, --close, --reopen")
    with writing(file) if wanted else reading(file) as store:
        if delete is not None:
            store.delete_session(delete)
        elif describe is not None:
            resumed(store, describe[0]).describe(describe[1])
        elif rename is not None:
            resumed(store, rename[0]).rename(rename[1])
        elif close is not None:
            resumed(store, close).close()
        elif reopen is not None:
            resumed(store, reopen).reopen()
        frame = store.sessions()
    if as_json:
        print_json(records(frame))
        return
    print_table(
        ["session", "method", "status", "steps", "classes", "branch of", "created", "description"],
        [
            (
                row["name"],
                row["method"],
                row["status"],
                row["steps"],
                row["classes"],
                row["parent"] and f"{row['parent']} at step {row['forked_at']}",
                f"{row['created_at']:%Y-%m-%d %H:%M}",
                row["description"],
            )
            for row in records(frame)
        ],
    )


@click.command()
@click.argument("file", type=FILE)
@SESSION
@at_most(20, "steps, the last ones")
@JSON
def history(file: Path, session: str, limit: int, as_json: bool) -> None:
    """List the steps of a session, with their reasons."""
    with reading(file) as store:
        held = resumed(store, session)
        frame, steps = held.history(limit or None), held.step
    if len(frame) < steps:
        click.echo(f"only the last {len(frame):,} of {steps:,} steps: use --limit 0", err=True)
    print_steps(frame, as_json)


def print_steps(frame: pd.DataFrame, as_json: bool) -> None:
    """Show steps: rows of ``Session.history``."""
    rows = records(frame)
    if as_json:
        print_json(rows)
        return
    print_table(["step", "what", "why", "comparison"], [_step(row) for row in rows])


def _step(row: dict[str, Any]) -> tuple[str, str, str, str]:
    what = f"{row['leader']} ({row['leader_text']})"
    if row["displaced"] is None:
        what = f"{what} promoted"
    else:
        what = f"{row['displaced']} ({row['displaced_text']}) into {what}"
    why = row["reason"] if row["cause"] is None else f"{row['reason']} by step {row['cause']}"
    test = ""
    if row["test"] is not None:
        p_value = "" if row["p_value"] is None else f", p = {row['p_value']:.4g}"
        test = f"{row['test']}: D = {row['d']:.4g}{p_value}"
    return str(row["step"]), what, why, test


@click.command()
@click.argument("file", type=FILE)
@SESSION
@AT
@click.option(
    "--min-members",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Leave out smaller classes.",
)
@at_most(20, "classes, the most frequent ones")
@JSON
def classes(
    file: Path, session: str, at: int | None, min_members: int, limit: int, as_json: bool
) -> None:
    """List the classes of a session, now or as of a step."""
    with reading(file) as store, working("classes"):
        # One more than wanted tells whether there are more.
        frame = resumed(store, session).classes(at, min_members, limit + 1 if limit else None)
    if limit and len(frame) > limit:
        click.echo(f"only the first {limit:,} classes: use --limit 0 for all", err=True)
        frame = frame[:limit]
    rows = records(frame)
    if as_json:
        print_json(rows)
        return
    print_table(
        ["class", "members", "count", "the most frequent members"],
        [(f"X{row['leader']}", row["members"], row["count"], row["examples"]) for row in rows],
    )


@click.command()
@click.argument("file", type=FILE)
@click.argument("name")
@click.argument("other")
@click.option("--at", type=click.IntRange(min=0), metavar="STEP", help="NAME as of a step [now].")
@click.option(
    "--other-at", type=click.IntRange(min=0), metavar="STEP", help="OTHER as of a step [now]."
)
@at_most(20, "non-terminals that moved")
@JSON
def diff(
    file: Path,
    name: str,
    other: str,
    at: int | None,
    other_at: int | None,
    limit: int,
    as_json: bool,
) -> None:
    """How do the classes of two sessions, or of one at two steps, differ?"""
    with reading(file) as store, working("comparing"):
        found = resumed(store, name).diff(resumed(store, other), at, other_at)
    if as_json:
        tables = {"split": found.split, "joined": found.joined, "moved": found.moved}
        facts = {"first": found.first, "second": found.second, "equal": found.equal}
        print_json(facts | {key: records(frame) for key, frame in tables.items()})
        return
    click.echo(str(found))
    if len(found.moved):
        moved = records(found.moved[: limit or None])
        print_table(
            ["non-terminal", "count", "was in", "is in"],
            [
                (
                    f"X{row['nonterminal_id']} ({row['source']} ||| {row['target']})",
                    row["count"],
                    f"X{row['left']}",
                    f"X{row['now']}",
                )
                for row in moved
            ],
            title=f"Moved ({len(moved):,} of {len(found.moved):,})",
        )


@click.command()
@click.argument("file", type=FILE)
@click.argument("a")
@click.argument("b")
@SESSION
@JSON
def why(file: Path, a: str, b: str, session: str, as_json: bool) -> None:
    """Why are two non-terminals in one class? Exit code 1 if they are not."""
    with reading(file) as store:
        held = resumed(store, session)
        found = held.why(a, b) if held.same(a, b) else None
    if as_json:
        print_json(
            found
            and {
                "first": found.first._asdict(),
                "second": found.second._asdict(),
                "joined_at": found.joined_at,
                "steps": [
                    _plain(step) | {"why": words}
                    for step, words in zip(found.steps, found.reasons, strict=True)
                ],
            }
        )
    elif found is None:
        click.echo(
            visible(f"{a} and {b} are not in one class: `grammar-store why-not` tells why not")
        )
    else:
        click.echo(str(found))
    sys.exit(1 if found is None else 0)


def _plain(step: Merge) -> dict[str, Any]:
    return asdict(step) | {"evidence": step.evidence and step.evidence._asdict()}
