"""The commands that change a session: merge, constrain, undo, redo, branch and replay."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grammar_store.cli.methods import METHOD_OPTIONS, run_method
from grammar_store.cli.output import print_json, print_table, records, visible, working
from grammar_store.cli.sessions import print_steps
from grammar_store.cli.stores import AT, FILE, JSON, SESSION, begun, reading, resumed, writing

if TYPE_CHECKING:
    import pandas as pd

    from grammar_store.facade import Store
    from grammar_store.sessions.session import Session


@click.command()
@click.argument("file", type=FILE)
@click.argument("a", required=False)
@click.argument("b", required=False)
@SESSION
@click.option("--leader", metavar="NAME", help="Which of the two leaders stands for both.")
@click.option("--required", is_flag=True, help="Merge all pairs that must merge by constraints.")
@click.option(
    "--method", type=click.Choice(["blue-fringe", "k-medoids"]), help="Merge all that it finds."
)
@METHOD_OPTIONS
@click.option("--steps", type=int, help="blue-fringe: stop after so many steps.")
@click.option("--seconds", type=float, help="blue-fringe: stop after so much time.")
@click.option("--threads", type=int, help="k-medoids: cores to use; all by default.")
@JSON
def merge(
    file: Path,
    a: str | None,
    b: str | None,
    session: str,
    leader: str | None,
    required: bool,
    method: str | None,
    steps: int | None,
    seconds: float | None,
    threads: int | None,
    as_json: bool,
    **parameters: Any,
) -> None:
    """Merge the classes of two non-terminals in a session, or let a method merge all.

    The session is started if it is new. Blue-Fringe goes on where the session stands, so that it
    can be stopped at any time and run again.
    """
    given = {name: value for name, value in parameters.items() if value is not None}
    if method is not None:
        if a or leader or required:
            raise click.UsageError("name two non-terminals, or give --method alone")
        budget = {"steps": steps, "seconds": seconds, "threads": threads}
        run_method(file, session, method, given, budget, as_json)
        return
    unused = [*given, *(["steps"] if steps else []), *(["seconds"] if seconds else [])]
    if unused or threads:
        option = (unused or ["threads"])[0].replace("_", "-")
        raise click.UsageError(f"--{option} needs --method")
    if (b is None) != required or (required and (a or leader)):
        raise click.UsageError("name two non-terminals, or give --required alone")
    with writing(file) as store:
        if a is None or b is None:
            made = resumed(store, session).merge_required()
        else:
            with begun(store, session) as held:
                made = [held.merge(a, b, leader)]
        lines = [
            f"step {step.step}: {_named(store, step.displaced)} into {_named(store, step.leader)}"
            for step in made
        ]
    if as_json:
        print_json([asdict(step) for step in made])
        return
    for line in lines or ["nothing to merge"]:
        click.echo(line)


def _named(store: Store, name: str | int) -> str:
    found = store[name]
    return visible(f"{found.name} ({found.text})")


@click.command()
@click.argument("file", type=FILE)
@click.argument("what", type=click.Choice(["must", "cannot", "drop", "list"]))
@click.argument("a", required=False)
@click.argument("b", required=False)
@SESSION
@JSON
def constrain(
    file: Path, what: str, a: str | None, b: str | None, session: str, as_json: bool
) -> None:
    """Say which non-terminals must, or cannot, end up in one class.

    A step that breaks a constraint is refused. `must A B` and `cannot A B` start the session if
    it is new, `drop A B` takes a constraint back, `list` shows all.
    """
    if (what == "list") != (a is None) or (a is None) != (b is None):
        raise click.UsageError("name two non-terminals after must, cannot or drop, none after list")
    with reading(file) if what == "list" else writing(file) as store:
        if a is None or b is None or what == "drop":
            held = resumed(store, session)
            if a is not None and b is not None:
                held.drop_constraint(a, b)
        else:
            with begun(store, session) as held:
                (held.must if what == "must" else held.cannot)(a, b)
        rows = records(held.constraints())
        table = [
            (
                _named(store, row["first"]),
                f"{row['kind']} merge with",
                _named(store, row["second"]),
                "yes" if row["met"] else "not yet",
            )
            for row in rows
        ]
    if as_json:
        print_json(rows)
    else:
        print_table(["first", "", "second", "met"], table)


_NUMBER = click.option("-n", "number", type=click.IntRange(min=1), help="How many steps [1].")


@click.command()
@click.argument("file", type=FILE)
@SESSION
@_NUMBER
@click.option("--step", type=int, metavar="STEP", help="An earlier step instead of the last.")
@click.option("--cascade", is_flag=True, help="With --step: also the steps that rest on it.")
@click.option("--dry-run", is_flag=True, help="Only list the steps that would be undone.")
@click.option("--json", "as_json", is_flag=True, help="With --dry-run: print JSON.")
def undo(
    file: Path,
    session: str,
    number: int | None,
    step: int | None,
    cascade: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Undo the last steps of a session, or an earlier one with all that rests on it."""
    if step is not None and number is not None:
        raise click.UsageError("give -n or --step, not both")
    if cascade and step is None:
        raise click.UsageError("--cascade is for an earlier step: name it with --step")
    if dry_run:
        with reading(file) as store:
            frame = _to_undo(resumed(store, session), number or 1, step)
        print_steps(frame, as_json)
        return
    with writing(file) as store, working("undoing"):
        held = resumed(store, session)
        before = held.step
        held.undo(number or 1, step=step, cascade=cascade)
        after = held.step
    click.echo(f"{before - after:,} step(s) undone, {after:,} left")


def _to_undo(session: Session, number: int, step: int | None) -> pd.DataFrame:
    if step is None:
        return session.history(number)
    steps = [step, *(each.step for each in session.dependants(step))]
    frame = session.history(session.step - step + 1)
    return frame[frame["step"].isin(steps)]


@click.command()
@click.argument("file", type=FILE)
@SESSION
@_NUMBER
def redo(file: Path, session: str, number: int | None) -> None:
    """Do again what was undone last, until a new step is made.

    A step that was undone with all that rested on it counts as one.
    """
    with writing(file) as store, working("redoing"):
        held = resumed(store, session)
        before = held.step
        held.redo(number or 1)
        after = held.step
    click.echo(f"{after - before:,} step(s) done again, {after:,} now")


@click.command()
@click.argument("file", type=FILE)
@click.argument("new")
@SESSION
@AT
def branch(file: Path, new: str, session: str, at: int | None) -> None:
    """Start a session NEW that shares the steps of another."""
    with writing(file) as store:
        made = resumed(store, session).branch(new, at)
        click.echo(visible(f"{made.name}: branch of {session} at step {made.step:,}"))


@click.command()
@click.argument("file", type=FILE)
@click.argument("name")
@click.argument("other_file", type=FILE)
@click.option("--as", "new", metavar="NEW", help="What to call the session there [NAME].")
@click.option(
    "--missing",
    type=click.Choice(["error", "skip"]),
    default="error",
    show_default=True,
    help="What to do about non-terminals that the other store lacks.",
)
@JSON
def replay(
    file: Path, name: str, other_file: Path, new: str | None, missing: str, as_json: bool
) -> None:
    """Make the steps of a session on another store; non-terminals are matched by text."""
    if file.resolve() == other_file.resolve():
        raise click.UsageError("these are one store: `branch` starts a session from another")
    with reading(file) as store, writing(other_file) as other, working("replaying"):
        report = resumed(store, name).replay(other, new, missing)
        made = report.session.name
        words = str(report)
    if as_json:
        facts = {"session": made, "steps": report.steps}
        print_json(facts | {"skipped": report.skipped, "missing": report.missing})
    else:
        click.echo(visible(words))
