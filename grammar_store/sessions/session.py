"""A session as people use it: everything of `Editing`, and what can be asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from grammar_store.equivalence.verdict import Verdict
from grammar_store.errors import OptionError, SessionError
from grammar_store.merging.assignment import KMedoidsResult
from grammar_store.merging.options import Score
from grammar_store.planted.scoring import Score as Agreement
from grammar_store.planted.truth import Truth, read_truth
from grammar_store.sessions.diff import Diff, diff
from grammar_store.sessions.editing import Editing
from grammar_store.sessions.member_class import MergedClass
from grammar_store.sessions.record import Name
from grammar_store.sessions.replay import Replay, Target, replay
from grammar_store.sessions.running import (
    FringeResult,
    FringeRun,
    clustered_steps,
    fringe_options,
    parameters_of,
)
from grammar_store.sessions.state import State
from grammar_store.sessions.steps import Merge, Step, to_steps
from grammar_store.sessions.why import Why, explain, path, require_one_class
from grammar_store.show import sessions as show
from grammar_store.statistics import FISHER_BELOW

if TYPE_CHECKING:
    from grammar_store.graph import GrammarGraph
    from grammar_store.sessions.catalogue import Catalogue
    from grammar_store.sessions.journal import Journal

_BATCH = 10_000


class Session(Editing):
    """A named, durable sequence of merges and promotions over the grammar of a store.

    Made by ``store.session(name)``. Every change is in the file when its call returns.

    Examples
    --------
    >>> import grammar_store as gs
    >>> session = gs.sample_store().session("mine")
    >>> session.merge("Haus ||| house", "Auto ||| car").step
    1
    >>> session.same("Haus ||| house", "Auto ||| car")
    True
    >>> session.undo()
    >>> session.same("Haus ||| house", "Auto ||| car")
    False
    """

    def __init__(self, catalogue: Catalogue, journal: Journal) -> None:
        super().__init__(catalogue, journal)
        self._last_state: tuple[int, State] | None = None

    def leader(self, x: Name) -> int:
        """The leader of the class of a non-terminal."""
        return self._journal.line.leader_of(self._id(x))

    def members(self, x: Name) -> list[int]:
        """The ids in the class of a non-terminal, sorted."""
        return self._journal.line.members_of(self._id(x))

    def same(self, a: Name, b: Name) -> bool:
        """Whether two non-terminals are in one class."""
        return self.leader(a) == self.leader(b)

    def at(self, step: int | None = None) -> State:
        """The classes as of a step, by default the last."""
        line = self._journal.line
        step = self._step(step)
        return State(
            self._journal.database,
            self._catalogue.resolve,
            line.displaced[:step].copy(),
            line.leader[:step].copy(),
            line.size,
        )

    def _step(self, step: int | None) -> int:
        if step is None:
            return self.step
        if not 0 <= step <= self.step:
            raise SessionError(f"there is no step {step}: the session has {self.step}")
        return step

    def classes(
        self,
        step: int | None = None,
        min_members: int = 1,
        limit: int | None = None,
        examples: int = 3,
    ) -> pd.DataFrame:
        """The classes by falling count: see `State.classes`."""
        return self.at(step).classes(min_members, limit, examples)

    def class_of(self, x: Name, step: int | None = None) -> MergedClass:
        """The class of a non-terminal as of a step, by default the last, to look at."""
        return self.at(step).class_of(x)

    def _repr_html_(self) -> str:
        return show.session(self)

    def graph(
        self,
        center: Name | None = None,
        hops: int = 2,
        step: int | None = None,
        limit: int | None = 500,
        lexical: bool = True,
    ) -> GrammarGraph:
        """The graph of the classes around one and their rules: see ``store.graph``."""
        from grammar_store.graph import Around, grammar_graph

        state = self.at(step)
        leader = None if center is None else state.leader(center)
        return grammar_graph(
            self._journal.database,
            Around(leader, hops, limit, lexical),
            state.leaders,
            center=leader and f"X{leader}",
            session=self.name,
            step=state.step,
        )

    def class_graph(
        self, step: int | None = None, limit: int | None = 500, lexical: bool = True
    ) -> GrammarGraph:
        """The quotient graph: all classes as of a step, and the rules that they have together.

        Parameters
        ----------
        step
            By default the last.
        limit
            The most nodes: rules by falling count, each with its classes. None for all.
        lexical
            Whether to show rules without a gap, too.

        Examples
        --------
        >>> import grammar_store as gs
        >>> session = gs.sample_store().session("mine")
        >>> _ = session.merge("Haus ||| house", "Auto ||| car")
        >>> graph = session.class_graph(limit=None)
        >>> graph.nodes["X18"]["members"], "X37" in graph
        (2, False)
        """
        return self.graph(None, 0, step, limit, lexical)

    def branch(self, name: str, at: int | None = None) -> Session:
        """Start a session that shares the steps of this one up to a step, by default the last."""
        return self._catalogue.branch(self._journal, name, self._step(at))

    def __iter__(self) -> Iterator[Step]:
        """All steps with their evidence, in order."""
        for low in range(1, self.step + 1, _BATCH):
            yield from to_steps(self._journal.read(low, low + _BATCH - 1))

    def history(self, limit: int | None = None) -> pd.DataFrame:
        """The last steps in words, in order; all by default."""
        return self._journal.history(self.step if limit is None else limit)

    def diff(self, other: Session, at: int | None = None, other_at: int | None = None) -> Diff:
        """How the classes of another session differ from those of this one.

        Parameters
        ----------
        other
            The other session, or this one once more.
        at, other_at
            The steps to compare at, by default the last ones.
        """
        database = self._journal.database
        if other._journal.database is not database:
            raise OptionError("sessions of two stores have nothing in common: replay one of them")
        first, second = self.at(at), other.at(other_at)
        names = (f"{self.name} at step {first.step}", f"{other.name} at step {second.step}")
        return diff(database, first, second, names)

    def why(self, a: Name, b: Name) -> Why:
        """Why two non-terminals are in one class: the merges that connect them, with evidence."""
        line, first, second = self._journal.line, self._id(a), self._id(b)
        require_one_class(line, first, second)
        numbers = path(line, first, second)
        found = {step.step: step for step in to_steps(self._journal.choose(numbers))}
        merges = [step for number in numbers if isinstance(step := found[number], Merge)]
        return explain(self._journal.database, merges, first, second)

    def why_not(
        self, a: Name, b: Name, alpha: float | None = None, fisher_below: float | None = None
    ) -> Verdict:
        """What keeps two non-terminals apart: the verdict on their classes as they are now.

        Parameters
        ----------
        a, b
            The non-terminals, by id or text.
        alpha, fisher_below
            As in ``store.compare``; by default as in the parameters of the session.
        """
        if self.same(a, b):
            raise SessionError(f"{a} and {b} are in one class: why() tells what put them there")
        given = self.parameters
        alpha = given.get("alpha", 0.01) if alpha is None else alpha
        if fisher_below is None:
            fisher_below = given.get("fisher_below", FISHER_BELOW)
        return self._now().compare(a, b, alpha, fisher_below)

    def _now(self) -> State:
        """The state at the last step, kept until the next: reading the grammar takes a while."""
        key = self._journal.row["last_hash"]
        if self._last_state is None or self._last_state[0] != key:
            self._last_state = (key, self.at())
        return self._last_state[1]

    def run(
        self,
        steps: int | None = None,
        seconds: float | None = None,
        threads: int | None = None,
        score: Score | None = None,
        progress: Callable[[FringeResult], None] | None = None,
    ) -> KMedoidsResult | FringeResult:
        """Make the steps of the session's method.

        k-medoids makes all of them in one transaction. Blue-Fringe makes them in batches, and goes
        on where the session stands: interrupted and run again, it makes the same steps.

        Parameters
        ----------
        steps, seconds
            Blue-Fringe: stop after so many steps, or when so much time has passed.
        threads
            k-medoids: cores to use, all by default; the result is the same for any number.
        score
            Blue-Fringe, in a session with the score ``python``: how much a merge is worth, by the
            counts of the red and the blue class.
        progress
            Blue-Fringe: called after every batch.

        Returns
        -------
        KMedoidsResult or FringeResult
            The clusters, with their loss and silhouette; or what was done.

        Examples
        --------
        >>> import grammar_store as gs
        >>> store = gs.sample_store()
        >>> session = store.session("two", method="k-medoids", top=50, clusters=2)
        >>> found = session.run()
        >>> len(session.classes()) == len(found.medoids) == 2
        True
        >>> session = store.session("fringe", method="blue-fringe", alpha=0.05)
        >>> session.run(steps=10).steps
        10
        >>> session.run().finished
        True
        """
        parameters = parameters_of(self.method, self.parameters)
        if self.method == "blue-fringe":
            return self._run_fringe(parameters, steps, seconds, score, progress)
        if self.step:
            raise SessionError(
                f"session {self.name!r} has steps already: start another one to run {self.method}"
            )
        found, table = clustered_steps(self._catalogue.initial(), parameters, threads)
        self.apply(table)
        return found

    def _run_fringe(
        self,
        parameters: dict[str, Any],
        steps: int | None,
        seconds: float | None,
        score: Score | None,
        progress: Callable[[FringeResult], None] | None,
    ) -> FringeResult:
        self.merge_required()
        line = self._journal.line
        run = FringeRun(
            self._journal.database,
            self._catalogue.initial(),
            fringe_options(parameters, score),
            line.displaced[: self.step].copy(),
            line.leader[: self.step].copy(),
            list(self._journal.constraints.cannot),
        )
        for table in run.batches(steps, seconds, parameters["classes"]):
            self.apply(table)
            if progress is not None:
                progress(run.result)
        return run.result

    def score(
        self, truth: Truth | str | Path, certain: float = 0.0, step: int | None = None
    ) -> Agreement:
        """How well the classes agree with the true labels of a planted grammar.

        Parameters
        ----------
        truth
            The true labels, or the file that ``sample`` wrote them to.
        certain
            Leave out phrase pairs that have their label in less than this share of their
            derivations: 1 leaves out whatever is ambiguous, 0 nothing.
        step
            The step to look at, by default the last.

        Returns
        -------
        planted.Score
            The adjusted Rand index, precision and recall of pairs, and the wrong merges.

        Examples
        --------
        >>> import grammar_store as gs
        >>> from grammar_store.planted import TrueLabel
        >>> session = gs.sample_store().session("mine")
        >>> _ = session.merge("Haus ||| house", "Auto ||| car")
        >>> nouns = {"Haus ||| house": TrueLabel("N", 1, 1), "Auto ||| car": TrueLabel("N", 1, 1)}
        >>> session.score(nouns).recall, session.score(nouns, step=0).recall
        (1.0, 0.0)
        """
        labels = truth if isinstance(truth, dict) else read_truth(truth)
        return self.at(step).score(labels, certain)

    def replay(self, store: Target, name: str | None = None, missing: str = "error") -> Replay:
        """Make the same steps on another store; non-terminals are matched by text.

        Parameters
        ----------
        store
            The other store.
        name
            What to call the session there, by default as here.
        missing
            What to do if it lacks non-terminals: ``error``, or ``skip`` what cannot be done.
        """
        return replay(self, store, name or self.name, missing)
