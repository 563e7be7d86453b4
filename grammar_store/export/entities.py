"""Tokens in rule tables: what would split a line or look like a gap is written as an entity.

Moses' own scripts write nine characters as entities, everywhere. Joshua and cdec have no such
habit, so in their files only what they could not hold is written that way. The files of
``schema/export/macros`` write the same in SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

_SPACES = {f"#{code}": chr(code) for code in range(9, 14)}
_NEEDED = {"#124": "|", "#91": "[", "#93": "]", **_SPACES}
_MOSES = {"amp": "&", "lt": "<", "gt": ">", "apos": "'", "quot": '"', **_NEEDED}

_MOSES_ENTITY = re.compile(f"&({'|'.join(_MOSES)});")
_MOSES_SPECIAL = re.compile(f"[{re.escape(''.join(_MOSES.values()))}]")
_NEEDED_NAMES = "|".join(_NEEDED)
_NEEDED_ENTITY = re.compile(f"&({_NEEDED_NAMES});|&amp;(?=(?:amp|{_NEEDED_NAMES});)")
_NEEDED_SPECIAL = re.compile(
    f"[{re.escape(''.join(_NEEDED.values()))}]|&(?=(?:amp|{_NEEDED_NAMES});)"
)
_NAME = {character: f"&{name};" for name, character in _MOSES.items()}

_CACHED = 1 << 16


def to_moses(token: str) -> str:
    """A token as Moses' scripts write it.

    Examples
    --------
    >>> to_moses("R&D's"), to_moses("[X][X]"), to_moses("&amp;")
    ('R&amp;D&apos;s', '&#91;X&#93;&#91;X&#93;', '&amp;amp;')
    """
    return _MOSES_SPECIAL.sub(lambda found: _NAME[found[0]], token)


@lru_cache(_CACHED)
def from_moses(text: str) -> str:
    """The token that Moses' scripts write so.

    Examples
    --------
    >>> from_moses("R&amp;D&apos;s"), from_moses("&amp;#91;"), from_moses("a'b"), from_moses("&x;")
    ("R&D's", '&#91;', "a'b", '&x;')
    """
    return _MOSES_ENTITY.sub(lambda found: _MOSES[found[1]], text)


def to_scfg(token: str) -> str:
    """A token as files of Joshua and cdec can hold it.

    Examples
    --------
    >>> to_scfg("R&D's"), to_scfg("|||"), to_scfg("&amp;")
    ("R&D's", '&#124;&#124;&#124;', '&amp;amp;')
    """
    return _NEEDED_SPECIAL.sub(lambda found: _NAME[found[0]], token)


@lru_cache(_CACHED)
def from_scfg(text: str) -> str:
    """The token that stands in a file of Joshua or cdec.

    Examples
    --------
    >>> from_scfg("R&D's"), from_scfg("&#124;"), from_scfg("&amp;amp;"), from_scfg("&amp;")
    ("R&D's", '|', '&amp;', '&amp;')
    """
    return _NEEDED_ENTITY.sub(lambda found: _NEEDED[found[1]] if found[1] else "&", text)


def unchanged(token: str) -> str:
    """The token itself: for texts that have entities already."""
    return token


Decoder = Callable[[str], str]
"""What gives a token for the text of a file."""
