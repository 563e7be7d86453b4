"""The store as people use it: open, build, ask, look."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from grammar_store.bitext import BitextFiles
from grammar_store.equivalence.engine import Dissimilarities, Equivalence
from grammar_store.equivalence.verdict import Verdict
from grammar_store.errors import OptionError, StoreError
from grammar_store.extraction.grammar import Progress, no_progress
from grammar_store.extraction.options import ExtractionOptions
from grammar_store.nonterminal import Nonterminal, chosen_ids
from grammar_store.resources import sql
from grammar_store.rule import Context, Rule
from grammar_store.sessions.catalogue import Catalogue
from grammar_store.sessions.session import Session
from grammar_store.sessions.sweep import sweep
from grammar_store.show import grammar as show
from grammar_store.show import html
from grammar_store.statistics import FISHER_BELOW
from grammar_store.store import check as checks
from grammar_store.store.build import BuildReport, BuildSettings, build_store
from grammar_store.store.database import Database
from grammar_store.store.migrate import open_for_writing

if TYPE_CHECKING:
    from grammar_store.export.exporting import ExportReport
    from grammar_store.export.foreign import ImportReport
    from grammar_store.graph import GrammarGraph
    from grammar_store.report.write import Report


class Store:
    """A grammar in one DuckDB file.

    Made by `grammar_store.open`. The file is opened at the first use, so that a store can
    be built where there is none yet; other processes cannot write while it is open.

    Examples
    --------
    >>> import grammar_store as gs
    >>> store = gs.sample_store()
    >>> store["Haus ||| house"].name
    'X37'
    >>> store.sql("SELECT count(*) FROM glue").fetchall()
    [(340,)]
    """

    def __init__(self, path: str | Path, read_only: bool = False) -> None:
        self.path = Path(path)
        self.read_only = read_only
        self._database: Database | None = None
        self._equivalence: Equivalence | None = None
        self._catalogue: Catalogue | None = None

    @property
    def database(self) -> Database:
        """The open file."""
        if self._database is None:
            if not self.path.exists():
                raise StoreError(
                    f"{self.path} does not exist: build it with "
                    f"`grammar-store build SOURCE TARGET ALIGNMENT --store {self.path}`"
                )
            self._database = (
                Database(self.path, read_only=True)
                if self.read_only
                else open_for_writing(self.path)
            )
        return self._database

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        if self._database is not None:
            self._database.close()
            self._database = self._equivalence = self._catalogue = None

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def build(
        self,
        source: str | Path,
        target: str | Path | None = None,
        alignment: str | Path | None = None,
        *,
        source_classes: str | Path | None = None,
        target_classes: str | Path | None = None,
        source_factors: str | Path | None = None,
        target_factors: str | Path | None = None,
        preset: str = "full",
        prune: float | None = None,
        fisher_below: int = 20,
        threads: int | None = None,
        memory_limit: str = "1GB",
        force: bool = False,
        progress: Progress = no_progress,
        **options: Any,
    ) -> BuildReport:
        """Build the grammar of a word-aligned bitext, replacing what the store holds.

        Parameters
        ----------
        source, target, alignment
            Text files of one sentence per line and of links ``i-j``, plain or compressed;
            or one file with ``|||`` between the three.
        source_classes, target_classes, source_factors, target_factors
            Word classes, as a file of word, tab, class, or as a second text.
        preset, options
            What to extract: see `ExtractionOptions`.
        prune, fisher_below, threads, memory_limit, force
            How to build: see `BuildSettings`.
        progress
            Called with stage, how much is done and how much there is (0: not known).

        Returns
        -------
        BuildReport
            Sizes, skipped sentence pairs, notes on the input and seconds per stage.
        """
        if self.read_only:
            raise StoreError(f"{self.path} is open for reading only: open it without read_only")
        files = BitextFiles(
            source, target, alignment, source_classes, target_classes, source_factors,
            target_factors,
        )  # fmt: skip
        chosen = ExtractionOptions.preset(preset, **options)
        settings = BuildSettings(prune, fisher_below, threads, memory_limit, force)
        self.close()
        return build_store(self.path, files, chosen, settings, progress)

    def sql(self, query: str, **values: Any) -> duckdb.DuckDBPyRelation:
        """Ask a question in SQL; ``$name`` in the query stands for a value given by name.

        Returns
        -------
        duckdb.DuckDBPyRelation
            With ``.df()``, ``.pl()``, ``.arrow()``, ``.fetchall()`` and more.
        """
        cursor = self.database.cursor()
        return cursor.sql(query, params=values) if values else cursor.sql(query)

    def query(self, name: str, **values: Any) -> pd.DataFrame:
        """The rows of a query kept in ``schema/``, such as ``queries/examples``."""
        frame: pd.DataFrame = self.database.execute_file(name, **values).to_pandas()
        return frame

    def rows(self, name: str, **values: Any) -> list[dict[str, Any]]:
        """The same as dictionaries."""
        found: list[dict[str, Any]] = self.database.execute_file(name, **values).to_pylist()
        return found

    def chunks(self, query: str, rows: int = 100_000, **values: Any) -> Iterator[pa.RecordBatch]:
        """The rows of a query in Arrow batches of at most `rows`, never all in memory."""
        yield from self.sql(query, **values).to_arrow_reader(rows)

    def nonterminals(self, rows: int = 100_000) -> Iterator[Nonterminal]:
        """All non-terminals, the most frequent first."""
        for chunk in self.chunks(sql("queries/all_nonterminals"), rows):
            for row in chunk.to_pylist():
                yield Nonterminal(self, row)

    def __len__(self) -> int:
        """The number of non-terminals."""
        return int(self.info()["nonterminals"])

    def __getitem__(self, name: str | int) -> Nonterminal:
        """A non-terminal by id (``12``, ``"X12"``) or by text (``"das neue ||| the new"``)."""
        return Nonterminal.of(self, name)

    def rule(self, number: int, session: str | Session | None = None) -> Rule:
        """A rule by its id; with a session, its gaps are labelled by the classes of that.

        Examples
        --------
        >>> import grammar_store as gs
        >>> print(gs.sample_store().rule(156))
        X82 -> (das [X37,1], the [X37,1])  10/3
        """
        if isinstance(session, str):
            session = self.existing_session(session)
        return Rule.of(self, number, session)

    def context(self, number: int) -> Context:
        """A context by its id.

        Examples
        --------
        >>> import grammar_store as gs
        >>> gs.sample_store().context(1)
        <Context 1 'das [_] | the [_]', 175 fillers>
        """
        return Context.of(self, number)

    @property
    def equivalence(self) -> Equivalence:
        """The tests of the initial grammar; what they work on is read once."""
        if self._equivalence is None:
            self._equivalence = Equivalence(self.database)
        return self._equivalence

    def compare(
        self,
        a: str | int,
        b: str | int,
        alpha: float = 0.01,
        fisher_below: float = FISHER_BELOW,
    ) -> Verdict:
        """Whether two non-terminals are equivalent, with the reasons.

        Parameters
        ----------
        a, b
            The non-terminals, by id or text.
        alpha
            The level of the tests, above 0 and at most 1.
        fisher_below
            Use Fisher's exact test where a count is below this; 0 for never.

        Examples
        --------
        >>> import grammar_store as gs
        >>> verdict = gs.sample_store().compare("Kind ||| child", "das Kind ||| the child")
        >>> verdict.equivalent, verdict.deciding.context
        (False, 'das [_] | the [_]')
        """
        return self.equivalence.compare(self[a].id, self[b].id, alpha, fisher_below)

    def dissimilarities(
        self,
        top: int | None = None,
        names: Sequence[str | int] | None = None,
        threads: int | None = None,
    ) -> Dissimilarities:
        """The dissimilarities of the `top` most frequent non-terminals, or of those named.

        Examples
        --------
        >>> import grammar_store as gs
        >>> table = gs.sample_store().dissimilarities(top=3)
        >>> table.matrix.shape, table.ids.tolist()
        ((3, 3), [1, 2, 3])
        """
        ids = chosen_ids(self, top, names)
        matrix = self.equivalence.dissimilarities(ids, threads)
        return Dissimilarities(np.array(ids, np.int32), matrix)

    @property
    def _sessions(self) -> Catalogue:
        if self._catalogue is None:
            self._catalogue = Catalogue(
                self.database, lambda name: self[name].id, lambda: self.equivalence
            )
        return self._catalogue

    def session(
        self, name: str, method: str | None = None, description: str = "", **parameters: Any
    ) -> Session:
        """Resume the session of a name, or start it.

        Parameters
        ----------
        name
            The name of the session.
        method, parameters
            How its steps are chosen, ``manual`` by default; to resume, leave them out or give
            the same.
        description
            What it is about.

        Examples
        --------
        >>> import grammar_store as gs
        >>> store = gs.sample_store()
        >>> store.session("houses").merge("Haus ||| house", "Auto ||| car").reason
        'manual'
        >>> store.session("houses")
        <Session 'houses': 1 steps, open>
        """
        return self._sessions.session(name, method, description, parameters)

    def sessions(self) -> pd.DataFrame:
        """All sessions with their sizes, one row each."""
        return self._sessions.listing()

    def delete_session(self, name: str) -> None:
        """Delete a session; its branches keep the steps that they share with it."""
        self._sessions.delete(name)

    def sweep(
        self,
        method: str,
        settings: Sequence[dict[str, Any]],
        prefix: str = "",
        progress: Callable[[int], None] = lambda done: None,
    ) -> pd.DataFrame:
        """Run a method with several settings, each in a session of its own.

        Parameters
        ----------
        method
            ``blue-fringe`` or ``k-medoids``.
        settings
            The parameters of each session: see ``session``.
        prefix
            What the names of the sessions begin with; the setting follows.
        progress
            Called with the number of settings done.

        Returns
        -------
        DataFrame
            One row for each setting, with the number of final non-terminals.

        Examples
        --------
        >>> import grammar_store as gs
        >>> store = gs.sample_store()
        >>> table = store.sweep("k-medoids", [{"top": 30, "clusters": k} for k in (2, 3)])
        >>> table["final non-terminals"].tolist()
        [2, 3]
        """
        return sweep(self._sessions, method, settings, prefix, progress)

    def existing_session(self, name: str) -> Session:
        """Resume the session of a name; unlike `session` it never starts one."""
        return self._sessions.existing(name)

    def graph(
        self,
        center: str | int | None = None,
        hops: int = 2,
        session: str | Session | None = None,
        at: int | None = None,
        limit: int | None = 500,
        lexical: bool = True,
    ) -> GrammarGraph:
        """The bipartite graph of non-terminals and rules around one, for networkx.

        Parameters
        ----------
        center
            A non-terminal, by id or text; by default the whole grammar.
        hops
            How many edges to go from it: 1 for its rules, 2 for what else is in them.
        session, at
            Show the classes of this session, as of a step (by default the last), and the rules
            that they have together.
        limit
            The most nodes. Nearer rules come first, then those with the greater count, each with
            all of its non-terminals; the graph says how many are left out. None for no limit.
        lexical
            Whether to show rules without a gap, too.

        Examples
        --------
        >>> import grammar_store as gs
        >>> graph = gs.sample_store().graph("Haus ||| house", limit=20)
        >>> graph
        <GrammarGraph of 10 non-terminals and 10 rules, 132 nodes left out>
        >>> sorted(graph.successors("X37"))
        ['R51']
        """
        from grammar_store.graph import Around, grammar_graph

        number = None if center is None else self[center].id
        if session is None:
            if at is not None:
                raise OptionError("at is a step of a session: name the session, too")
            around = Around(number, hops, limit, lexical)
            return grammar_graph(self.database, around, center=number and f"X{number}")
        if isinstance(session, str):
            session = self.existing_session(session)
        return session.graph(number, hops, at, limit, lexical)

    def report(
        self,
        path: str | Path,
        session: str | Session,
        at: int | None = None,
        progress: Progress = no_progress,
        **limits: Any,
    ) -> Report:
        """Write a page about a session, for any browser, offline: classes, history, reasons.

        Parameters
        ----------
        path
            The file to write, such as ``report.html``; it appears when it is complete.
        session, at
            The session, by its name or itself, and the step to look at, by default the last.
        progress
            Called with stage, how much is done and how much there is (0: not known).
        limits
            How much to show: see `grammar_store.report.limits.Limits`.

        Examples
        --------
        >>> import grammar_store as gs, tempfile
        >>> store = gs.sample_store()
        >>> _ = store.session("houses").merge("Haus ||| house", "Auto ||| car")
        >>> report = store.report(tempfile.mkdtemp() + "/report.html", "houses")
        >>> report.cards, report.size < 20_000_000
        (1, True)
        """
        # Loading the templates takes a moment: not before somebody wants a page.
        from grammar_store.report.limits import Limits
        from grammar_store.report.write import write_report

        name = session if isinstance(session, str) else session.name
        return write_report(self.database, path, name, at, Limits.named(**limits), progress)

    def export(
        self,
        path: str | Path | None,
        form: str,
        *,
        features: Sequence[str] | None = None,
        entities: bool = True,
        digits: int | None = None,
        memory_limit: str = "1GB",
        threads: int | None = None,
        progress: Progress = no_progress,
        **request: Any,
    ) -> ExportReport:
        """Write a grammar for a decoder, or a table or a graph of the store, to a file.

        Parameters
        ----------
        path
            The file, which appears when it is complete; ``.gz`` is compressed.
        form
            ``moses``, ``joshua``, ``cdec``; ``parquet``, ``csv``; ``graphml``, ``json``, ``dot``.
        features, entities, digits, memory_limit, threads
            How rules are written: see `WriteOptions`.
        progress
            Called with a stage, what is done and how much there is.
        request
            What to export: see `ExportRequest`, such as ``session="three"``.

        Examples
        --------
        >>> import grammar_store as gs, tempfile
        >>> gs.sample_store().export(tempfile.mkdtemp() + "/rules.gz", "moses").rows > 10_000
        True
        """
        from grammar_store.export.exporting import ExportRequest, export
        from grammar_store.export.formats import WriteOptions

        options = WriteOptions(features, entities, digits, memory_limit, threads)
        return export(self, path, ExportRequest(form, **request), options, progress)

    def import_rules(self, path: str | Path, form: str, **how: Any) -> ImportReport:
        """Fill the store with a rule table made elsewhere, replacing what it holds.

        Parameters
        ----------
        path, form
            The table, plain or compressed: ``moses``, ``joshua`` or ``cdec``.
        how
            Further options of `import_rules`, such as ``count_from`` and ``force``.
        """
        from grammar_store.export.foreign import import_rules

        if self.read_only:
            raise StoreError(f"{self.path} is open for reading only: open it without read_only")
        self.close()
        return import_rules(path, form, self.path, **how)

    def info(self) -> dict[str, Any]:
        """Sizes of the store, and the options and signature of its build."""
        return self.rows("queries/store_info")[0]

    def check(self, progress: Progress = no_progress) -> list[checks.Problem]:
        """Verify every invariant of the store; an empty list means that all hold."""
        return checks.check(self.database, progress)

    def __repr__(self) -> str:
        return f"<Store {str(self.path)!r}>"

    def _repr_html_(self) -> str:
        return show.store(self) if self.path.exists() else f"<p>{html.words(repr(self))}</p>"
