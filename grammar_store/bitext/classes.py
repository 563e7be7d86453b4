"""Word classes as mkcls writes them: a word, a tab and its class on each line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from grammar_store.bitext.lines import Lines
from grammar_store.bitext.text import decode, shown
from grammar_store.errors import InputError


@dataclass(frozen=True)
class WordClasses:
    """The classes of the words of one language.

    Attributes
    ----------
    path
        The file they come from.
    classes
        Word to class; classes are text, whatever they look like.
    fingerprint
        SHA-256 of the uncompressed content of the file.
    """

    path: Path | str
    classes: dict[str, str]
    fingerprint: str


def read_classes(path: Path | str) -> WordClasses:
    r"""Read a class file.

    Raises
    ------
    InputError
        The file cannot be read or is empty, a line is not ``word TAB class``, or a word
        has two classes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write("Haus\t2\nTür\t2\n".encode())
    ...     file.flush()
    ...     read_classes(file.name).classes
    {'Haus': '2', 'Tür': '2'}
    """
    classes: dict[str, str] = {}
    with Lines(path) as lines:
        for line in lines:
            try:
                word, word_class = _parse(decode(line))
            except InputError as problem:
                raise lines.error(problem.message) from problem
            if classes.setdefault(word, word_class) != word_class:
                raise lines.error(
                    f"word {shown(word)} has class {shown(word_class)} here "
                    f"and {shown(classes[word])} above"
                )
        if not classes:
            raise lines.error("the file is empty: it must give the class of every word")
        return WordClasses(path, classes, lines.fingerprint)


def _parse(text: str) -> tuple[str, str]:
    fields = text.split("\t")
    if len(fields) != 2 or not all(fields) or " " in text:
        raise InputError(f"{shown(text)} is not of the form word TAB class")
    if text.endswith("\r"):
        # As part of a class this would go unseen; as part of a word it is seen as missing.
        raise InputError("the line ends with a carriage return: convert the file to Unix line ends")
    return fields[0], fields[1]
