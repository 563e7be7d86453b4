"""From the bytes of a line to its tokens, with nothing guessed and nothing repaired."""

from __future__ import annotations

from grammar_store.errors import InputError

MAX_WORDS = 60_000
"""The most words of a sentence: positions are stored in 16 bits."""

_SHOWN = 60


def decode(line: bytes) -> str:
    r"""The text of a line.

    Raises
    ------
    InputError
        Without a place, which only the caller knows: invalid UTF-8, or NUL.

    Examples
    --------
    >>> decode(b"t\xc3\xbcr")
    'tür'
    >>> decode(b"t\xfcr")
    Traceback (most recent call last):
    ...
    grammar_store.errors.InputError: invalid UTF-8 at byte 2 of the line (0xfc): ...
    """
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as problem:
        utf16 = line.startswith((b"\xff\xfe", b"\xfe\xff"))
        raise InputError(
            f"invalid UTF-8 at byte {problem.start + 1} of the line "
            f"(0x{line[problem.start]:02x}): "
            + ("this looks like UTF-16, " if utf16 else "")
            + "convert the file to UTF-8"
        ) from problem
    if "\0" in text:
        raise InputError(f"NUL at byte {line.index(0) + 1} of the line: this is not text")
    return text


def split_tokens(text: str) -> list[str]:
    r"""The tokens of a text: what stands between ASCII spaces, and never an empty one.

    Raises
    ------
    InputError
        Without a place: more than 60,000 tokens.

    Examples
    --------
    >>> split_tokens(" 10\u00a0000  Häuser\t! ")
    ['10\xa0000', 'Häuser\t!']
    """
    tokens = list(filter(None, text.split(" ")))
    if len(tokens) > MAX_WORDS:
        raise InputError(f"{len(tokens)} words in a sentence: the most is {MAX_WORDS}")
    return tokens


def shown(text: str) -> str:
    r"""A text as error messages quote it: on one line, and cut if long.

    Examples
    --------
    >>> print(shown("3-4\r"))
    '3-4\r'
    >>> len(shown("x" * 1000))
    65
    """
    return repr(text) if len(text) <= _SHOWN else repr(text[:_SHOWN]) + "..."
