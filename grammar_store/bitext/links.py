"""Word alignments in the Pharaoh format: links ``i-j`` between positions counted from 0."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from grammar_store.bitext.text import shown
from grammar_store.errors import InputError

# A link is one integer while a corpus is read: sorting and comparing them is what costs time,
# and integers of this form sort by (source, target). Positions have at most five digits.
_BITS = 17
_MASK = (1 << _BITS) - 1
_LINK = re.compile(r"([0-9]{1,5})-([0-9]{1,5})")


def parse_links(text: str, source_words: int, target_words: int) -> list[int]:
    """The distinct links of a line, packed, in order of source and target position.

    Parameters
    ----------
    text
        Links between ASCII spaces.
    source_words, target_words
        The lengths of the sentences.

    Raises
    ------
    InputError
        Without a place: a link is malformed or points outside the sentences.

    Examples
    --------
    >>> links = parse_links("1-0 0-1 1-0", source_words=2, target_words=2)
    >>> links_text(links)
    '0-1 1-0'
    >>> unpack_links(links).tolist()
    [[0, 1], [1, 0]]
    >>> parse_links("0-0 2-1", source_words=2, target_words=2)
    Traceback (most recent call last):
    ...
    grammar_store.errors.InputError: link 2-1 points outside the sentences: ...
    """
    links = sorted(set(map(_pack, filter(None, text.split(" ")))))
    if links and (
        links[-1] >> _BITS >= source_words or max([link & _MASK for link in links]) >= target_words
    ):
        outside = next(
            link for link in links if link >> _BITS >= source_words or link & _MASK >= target_words
        )
        raise InputError(
            f"link {_link_text(outside)} points outside the sentences: the source has "
            f"{source_words} words and the target {target_words}, and positions count from 0"
        )
    return links


def links_text(links: Iterable[int]) -> str:
    """Packed links as text, ``i-j`` joined by a space."""
    return " ".join(map(_link_text, links))


def unpack_links(links: Sequence[int]) -> NDArray[np.int32]:
    """Packed links as an array with a row (source position, target position) for each."""
    packed = np.asarray(links, dtype=np.int64)
    unpacked = np.empty((len(packed), 2), dtype=np.int32)
    unpacked[:, 0] = packed >> _BITS
    unpacked[:, 1] = packed & _MASK
    return unpacked


# The same few thousand links make up nearly every corpus.
@lru_cache(maxsize=2**16)
def _pack(link: str) -> int:
    match = _LINK.fullmatch(link)
    if match is None:
        hint = ": the line ends with a carriage return, convert the file to Unix line ends"
        raise InputError(
            f"link {shown(link)} is not of the form i-j{hint if link.endswith(chr(13)) else ''}"
        )
    return int(match[1]) << _BITS | int(match[2])


@lru_cache(maxsize=2**16)
def _link_text(link: int) -> str:
    return f"{link >> _BITS}-{link & _MASK}"
