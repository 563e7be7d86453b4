"""How people name a non-terminal: ``X12``, or ``"das neue ||| the new"``."""

from __future__ import annotations

import re

_SEPARATOR = " ||| "
_ID = re.compile(r"X([0-9]{1,9})")


def parse_id(name: str) -> int | None:
    """The id in a name such as ``X12``; None if it is not of that form.

    Examples
    --------
    >>> parse_id("X12"), parse_id("x12"), parse_id("Haus ||| house")
    (12, None, None)
    """
    found = _ID.fullmatch(name)
    return int(found[1]) if found else None


def parse_texts(name: str) -> list[list[str]]:
    """The ways to read a name as the text of a phrase pair, as [source, target].

    There are several if a word of the corpus is ``|||`` itself.

    Examples
    --------
    >>> parse_texts("das neue ||| the new")
    [['das neue', 'the new']]
    >>> parse_texts("a ||| ||| ||| b")
    [['a', '||| ||| b'], ['a |||', '||| b'], ['a ||| |||', 'b']]
    """
    words = name.split(" ")
    cuts = [place for place, word in enumerate(words) if word == "|||"]
    ways = [[" ".join(words[:place]), " ".join(words[place + 1 :])] for place in cuts]
    return [way for way in ways if all(way)]


def is_text(name: str) -> bool:
    r"""Whether a name is text at all: bytes on a command line that are not UTF-8 are none.

    Examples
    --------
    >>> is_text("für ||| for"), is_text("f\udcfcr ||| for")
    (True, False)
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def text_of(source: str, target: str) -> str:
    """The name of a phrase pair by its text.

    Examples
    --------
    >>> text_of("das neue", "the new")
    'das neue ||| the new'
    """
    return source + _SEPARATOR + target
