"""Running methods: blue-fringe and k-medoids, once or for several settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grammar_store.cli.output import print_facts, print_json, print_table, progress_bars, records
from grammar_store.cli.stores import FILE, JSON, begun, writing

if TYPE_CHECKING:
    from grammar_store.merging.assignment import KMedoidsResult
    from grammar_store.sessions.running import FringeResult
    from grammar_store.sessions.session import Session

F = TypeVar("F", bound=Callable[..., Any])

_FRINGE = [
    click.option("--alpha", type=float, help="blue-fringe: the level of the tests [0.01]."),
    click.option("--fisher-below", type=float, help="blue-fringe: Fisher's test below [20]."),
    click.option(
        "--score",
        type=click.Choice(["evidence", "sum", "minimum"]),
        help="blue-fringe: what the greatest of is merged first [evidence].",
    ),
    click.option(
        "--ties", type=click.Choice(["text", "random"]), help="blue-fringe: among equals [text]."
    ),
    click.option(
        "--leaves",
        type=click.Choice(["red", "blue"]),
        help="blue-fringe: whether leaves stay, or merge too [red].",
    ),
    click.option(
        "--fold", is_flag=True, default=None, help="blue-fringe: also merge what becomes the same."
    ),
    click.option("--classes", type=int, help="blue-fringe: stop at so many classes [0]."),
]
_SHARED = [
    click.option("--seed", type=int, help="For random starts and random ties [0]."),
]
_MEDOIDS = [
    click.option(
        "--top", type=int, help="k-medoids: choose among so many, the most frequent [250]."
    ),
    click.option("--clusters", type=int, help="k-medoids: the number of classes [3]."),
    click.option("--restarts", type=int, help="k-medoids: the number of random starts [10]."),
]


def METHOD_OPTIONS(command: F) -> F:  # noqa: N802 - used like click's own decorators
    """All parameters of all methods."""
    for option in reversed(_FRINGE + _MEDOIDS + _SHARED):
        command = option(command)
    return command


def run_method(
    file: Path,
    name: str,
    method: str,
    parameters: dict[str, Any],
    budget: dict[str, Any],
    as_json: bool,
) -> None:
    """Run a method in a session and print what it did."""
    with writing(file) as store, begun(store, name, method, **parameters) as session:
        found = _run(session, budget)
        said = {"session": session.name, "signature": session.signature, "last step": session.step}
        classes = [
            {
                "leader": f"X{row['leader']}",
                "text": store[row["leader"]].text,
                "count": row["count"],
                "members": row["members"],
            }
            for row in session.at().listing(1, 20, 1)
        ]
    said |= _facts(found)
    if as_json:
        print_json(
            {key.replace(" ", "_"): value for key, value in said.items()} | {"classes": classes}
        )
        return
    print_facts(said)
    print_table([*classes[0]] if classes else [], [[*row.values()] for row in classes])


def _run(session: Session, budget: dict[str, Any]) -> KMedoidsResult | FringeResult:
    with progress_bars() as show:
        show(session.method, 0, 0)

        def progress(state: FringeResult) -> None:
            text = f"red {state.red:,} blue {state.blue:,} white {state.white:,}"
            show(f"{session.method}: {text}", state.steps, state.steps + state.blue + state.white)

        return session.run(**budget, progress=progress)


def _facts(found: KMedoidsResult | FringeResult) -> dict[str, Any]:
    from grammar_store.sessions.running import FringeResult

    if isinstance(found, FringeResult):
        facts = asdict(found)
        pairs, left = int(facts.pop("pairs")), facts.pop("classes")
        return facts | {"classes left": left, "tests saved": max(0, pairs - found.tests)}
    return {
        "loss": found.loss,
        "silhouette": found.silhouette,
        "medoids": ", ".join(f"X{x}" for x in found.medoids),
        "sizes": ", ".join(map(str, found.sizes)),
    }


@click.command()
@click.argument("file", type=FILE)
@click.option(
    "--method", required=True, type=click.Choice(["blue-fringe", "k-medoids"]), help="What to run."
)
@click.option("--alpha", type=float, multiple=True, help="blue-fringe: a level; give several.")
@click.option("--top", type=int, multiple=True, help="k-medoids: among how many; give several.")
@click.option("--clusters", type=int, multiple=True, help="k-medoids: classes; give several.")
@click.option("--leaves", type=click.Choice(["red", "blue"]), help="blue-fringe: see merge.")
@click.option("--prefix", default="", help="What the names of the sessions begin with.")
@JSON
def sweep(
    file: Path,
    method: str,
    alpha: tuple[float, ...],
    top: tuple[int, ...],
    clusters: tuple[int, ...],
    leaves: str | None,
    prefix: str,
    as_json: bool,
) -> None:
    """Run a method with several settings, each in a session of its own.

    By default the settings of the paper: five levels, or 250, 1000 and 5000 non-terminals in 2, 3
    and 4 classes. Sessions are named by their setting; those that are there already go on where
    they stand, or are left as they are.
    """
    if method == "blue-fringe":
        if top or clusters:
            raise click.UsageError("--top and --clusters are for k-medoids")
        fixed = {"leaves": leaves} if leaves else {}
        settings: list[dict[str, Any]] = [
            {"alpha": one} | fixed for one in alpha or (0.1, 0.01, 0.001, 1e-4, 1e-5)
        ]
    else:
        if alpha or leaves:
            raise click.UsageError("--alpha and --leaves are for blue-fringe")
        settings = [
            {"top": n, "clusters": k}
            for n, k in product(top or (250, 1000, 5000), clusters or (2, 3, 4))
        ]
    with writing(file) as store, progress_bars() as show:
        table = store.sweep(
            method, settings, prefix, lambda done: show(method, done, len(settings))
        )
    if as_json:
        print_json(records(table))
    else:
        print_table([*table.columns], [[*row] for row in table.itertuples(index=False)])
