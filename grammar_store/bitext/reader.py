"""Reading a word-aligned bitext, with word classes if wanted, in one pass over its files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pyarrow as pa

from grammar_store.bitext import notes as note
from grammar_store.bitext.classes import WordClasses, read_classes
from grammar_store.bitext.corpus import Corpus, CorpusBuilder
from grammar_store.bitext.lines import Lines
from grammar_store.bitext.links import links_text, parse_links
from grammar_store.bitext.text import decode, shown, split_tokens
from grammar_store.errors import InputError, OptionError

BITEXT_SCHEMA = pa.schema(
    [
        pa.field("sentence_id", pa.int32(), nullable=False),
        pa.field("source", pa.string(), nullable=False),
        pa.field("target", pa.string(), nullable=False),
        pa.field("alignment", pa.string(), nullable=False),
        pa.field("source_classes", pa.string()),
        pa.field("target_classes", pa.string()),
    ]
)
"""The columns of the table ``bitext``."""

# A batch ends early at this many characters, so that long lines cannot fill the memory.
_BATCH_CHARACTERS = 2**26

_FIELD_SEPARATOR = re.compile(r"(?<![^ ])\|\|\|(?![^ ])")


@dataclass(frozen=True)
class BitextFiles:
    """The files of a word-aligned bitext; each plain or compressed (gzip, xz, zstd).

    Parameters
    ----------
    source, target, alignment
        Parallel texts of one sentence per line, and their links ``i-j`` (positions from
        0). Or only `source`: one file with ``|||`` between the three on each line.
    source_classes, target_classes
        Files of word classes (word, tab, class): symbols are then classes, not words.
    source_factors, target_factors
        Texts parallel to the words, line by line and token by token, whose tokens are
        the symbols: another way to give classes.

    Examples
    --------
    >>> BitextFiles("corpus.txt.gz").combined
    True
    >>> BitextFiles("corpus.de", "corpus.en")
    Traceback (most recent call last):
    ...
    grammar_store.errors.OptionError: give source, target and alignment, or one combined file
    """

    source: Path | str
    target: Path | str | None = None
    alignment: Path | str | None = None
    source_classes: Path | str | None = None
    target_classes: Path | str | None = None
    source_factors: Path | str | None = None
    target_factors: Path | str | None = None

    def __post_init__(self) -> None:
        if (self.target is None) != (self.alignment is None):
            raise OptionError("give source, target and alignment, or one combined file")
        for side in ("source", "target"):
            if None not in (getattr(self, f"{side}_classes"), getattr(self, f"{side}_factors")):
                raise OptionError(f"{side}_classes and {side}_factors exclude each other")

    @property
    def combined(self) -> bool:
        """Whether one file holds source, target and alignment."""
        return self.target is None

    def parallel(self) -> dict[str, Path | str]:
        """The files that are read line by line beside each other, by role."""
        files = {
            "combined" if self.combined else "source": self.source,
            "target": self.target,
            "alignment": self.alignment,
            "source_factors": self.source_factors,
            "target_factors": self.target_factors,
        }
        return {role: path for role, path in files.items() if path is not None}


@dataclass(frozen=True)
class ReadReport:
    """What was read.

    Attributes
    ----------
    sentences
        The number of sentence pairs.
    fingerprints
        SHA-256 of the uncompressed content of each file, by role: the name of the field of
        `BitextFiles`, or ``combined``.
    notes
        What was kept but is worth telling, one line each.
    """

    sentences: int
    fingerprints: dict[str, str]
    notes: list[str]


def read_bitext(
    files: BitextFiles,
    on_batch: Callable[[pa.Table], None] | None = None,
    batch_size: int = 10_000,
) -> tuple[Corpus, ReadReport]:
    r"""Read a bitext; no file is ever held in memory as a whole.

    Parameters
    ----------
    files
        What to read.
    on_batch
        Called with the rows of the table ``bitext``, in file order and in batches. Texts
        are tokens joined by one space, links are distinct and sorted.
    batch_size
        The most sentence pairs of a batch.

    Raises
    ------
    InputError
        Naming file and line. Batches handed over before are then void.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"das Haus ||| the house ||| 0-0 1-1\nHaus ||| house |||\n")
    ...     file.flush()
    ...     corpus, report = read_bitext(BitextFiles(file.name))
    >>> corpus.target.symbols, report.sentences, report.notes
    (['the', 'house'], 2, ['no links in 1 sentence pair (line 2): nothing to extract there'])
    """
    if batch_size < 1:
        raise OptionError(f"batch_size must be at least 1, not {batch_size}")
    with ExitStack() as stack:
        # The class files first: short, and without them no line can be read.
        source_classes = _read_classes(files.source_classes)
        target_classes = _read_classes(files.target_classes)
        parallel = {
            role: stack.enter_context(Lines(path)) for role, path in files.parallel().items()
        }
        text = parallel["combined"] if files.combined else parallel["source"]
        source = _SideReader(text, parallel.get("source_factors"), source_classes)
        target = _SideReader(
            parallel.get("target", text), parallel.get("target_factors"), target_classes
        )
        alignment = parallel.get("alignment", text)
        notes = note.Notes()
        batches = _Batches(on_batch, batch_size)
        builder = CorpusBuilder()
        for texts in _parallel_texts(parallel, notes):
            source.read(texts["source"], texts.get("source_factors"))
            target.read(texts["target"], texts.get("target_factors"))
            links = _read_links(alignment, texts["alignment"], source, target, notes)
            builder.add(source.symbols, target.symbols, links)
            batches.add(source, target, links)
        batches.flush()
        if not text.number:
            raise text.error("the file is empty: there is no sentence pair to read")
        fingerprints = {role: lines.fingerprint for role, lines in parallel.items()}
    for role, classes in (("source_classes", source_classes), ("target_classes", target_classes)):
        if classes is not None:
            fingerprints[role] = classes.fingerprint
    return builder.build(), ReadReport(text.number, fingerprints, notes.texts())


def _read_classes(path: Path | str | None) -> WordClasses | None:
    return None if path is None else read_classes(path)


def _parallel_texts(parallel: dict[str, Lines], notes: note.Notes) -> Iterator[dict[str, str]]:
    """The texts of each sentence pair by role: source, target, alignment, factors."""
    for row in zip_longest(*parallel.values()):
        if None in row:
            raise _unequal(list(parallel.values()), row)
        texts = {
            role: _text(lines, line, notes)
            for (role, lines), line in zip(parallel.items(), row, strict=True)
        }
        if "combined" in texts:
            texts.update(_fields(parallel["combined"], texts["combined"]))
        yield texts


def _unequal(files: list[Lines], row: tuple[bytes | None, ...]) -> InputError:
    ended = files[row.index(None)]
    longer = next(lines for lines, line in zip(files, row, strict=True) if line is not None)
    if not ended.number:
        return ended.error(f"the file is empty, but {longer.path} is not")
    return ended.error(
        f"the file ends with this line, but {longer.path} goes on: "
        f"parallel files have the same number of lines"
    )


def _text(lines: Lines, line: bytes, notes: note.Notes) -> str:
    try:
        text = decode(line)
    except InputError as problem:
        raise lines.error(problem.message) from problem
    if text.endswith("\r"):
        notes.add(note.CARRIAGE_RETURN, lines.path, lines.number)
    if "\t" in text:
        notes.add(note.TAB, lines.path, lines.number)
    if lines.number == 1 and text.startswith("\ufeff"):
        notes.add(note.BYTE_ORDER_MARK, lines.path, 1)
    return text


def _fields(lines: Lines, text: str) -> dict[str, str]:
    fields = _FIELD_SEPARATOR.split(text)
    if len(fields) != 3:
        raise lines.error(
            f"{len(fields)} field{'s' if len(fields) > 1 else ''} instead of 3: a line is "
            f"'source ||| target ||| alignment', with spaces around |||"
        )
    return dict(zip(("source", "target", "alignment"), fields, strict=True))


def _read_links(
    lines: Lines, text: str, source: _SideReader, target: _SideReader, notes: note.Notes
) -> list[int]:
    try:
        links = parse_links(text, len(source.words), len(target.words))
    except InputError as problem:
        raise lines.error(problem.message) from problem
    if not source.words or not target.words:
        notes.add(note.EMPTY, None, lines.number)
    elif not links:
        notes.add(note.NO_LINKS, None, lines.number)
    elif len(links) < text.count("-"):  # every link has exactly one
        notes.add(note.REPEATED_LINKS, None, lines.number)
    return links


class _SideReader:
    """Reads one side: the words of each sentence and their symbols."""

    words: list[str]
    symbols: list[str]

    def __init__(self, lines: Lines, factors: Lines | None, classes: WordClasses | None) -> None:
        self._lines = lines
        self._factors = factors
        self._classes = classes
        self.has_classes = factors is not None or classes is not None

    def read(self, text: str, factors: str | None) -> None:
        self.symbols = self.words = self._tokens(self._lines, text)
        if self._classes is not None:
            classes = self._classes.classes
            try:
                self.symbols = [classes[word] for word in self.words]
            except KeyError as missing:
                raise self._lines.error(
                    f"word {shown(missing.args[0])} has no class in {self._classes.path}"
                ) from None
        elif self._factors is not None and factors is not None:
            self.symbols = self._tokens(self._factors, factors)
            if len(self.symbols) != len(self.words):
                raise self._factors.error(
                    f"{len(self.symbols)} factors for the {len(self.words)} words "
                    f"of this line in {self._lines.path}"
                )

    @staticmethod
    def _tokens(lines: Lines, text: str) -> list[str]:
        try:
            return split_tokens(text)
        except InputError as problem:
            raise lines.error(problem.message) from problem


class _Batches:
    """Collects the rows of the table ``bitext`` and hands them over in batches."""

    def __init__(self, on_batch: Callable[[pa.Table], None] | None, size: int) -> None:
        self._on_batch = on_batch
        self._size = size
        self._next_id = 1
        self._clear()

    def _clear(self) -> None:
        self._rows: list[tuple[str, str, str, str | None, str | None]] = []
        self._characters = 0

    def add(self, source: _SideReader, target: _SideReader, links: list[int]) -> None:
        if self._on_batch is None:
            return
        row = (
            " ".join(source.words),
            " ".join(target.words),
            links_text(links),
            " ".join(source.symbols) if source.has_classes else None,
            " ".join(target.symbols) if target.has_classes else None,
        )
        self._rows.append(row)
        self._characters += sum(map(len, filter(None, row)))
        if len(self._rows) == self._size or self._characters >= _BATCH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        if self._on_batch is None or not self._rows:
            return
        ids = range(self._next_id, self._next_id + len(self._rows))
        columns = zip(BITEXT_SCHEMA, [ids, *zip(*self._rows, strict=True)], strict=True)
        batch = pa.table(
            [pa.array(values, field.type) for field, values in columns], schema=BITEXT_SCHEMA
        )
        self._next_id += len(self._rows)
        self._clear()
        self._on_batch(batch)
