"""Words of a corpus as text that cannot disturb what stands around it."""

from __future__ import annotations

import re

from grammar_store.bitext.corpus import unescape_symbol

# Control characters, lone surrogates, and the characters that change the direction of all that
# follows (embeddings, overrides, isolates): they are shown, and have no effect. The marks that only
# stand between letters (zero-width joiner, left-to-right mark) stay: words and emoji need them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def visible(text: str) -> str:
    r"""A text with its control characters spelled out, as ``⟨U+202E⟩``.

    Examples
    --------
    >>> visible("a\x01b\u202ec")
    'a⟨U+0001⟩b⟨U+202E⟩c'
    """
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def cut(text: str, most: int) -> str:
    """A text of at most so many characters, with an ellipsis where something is left out.

    Examples
    --------
    >>> cut("das neue Haus", 8), cut("das neue", 8)
    ('das neu…', 'das neue')
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def word(symbol: str) -> str:
    r"""A symbol of the grammar as the word of the corpus that it is, safe to show.

    Examples
    --------
    >>> word(r"[\_]"), word("Haus")
    ('[_]', 'Haus')
    """
    return visible(unescape_symbol(symbol))


def number(value: float) -> str:
    """A count as people write it.

    Examples
    --------
    >>> number(1234567), number(2.0), number(1 / 3)
    ('1,234,567', '2', '0.3333')
    """
    return f"{round(value):,}" if value == round(value) else f"{value:.4g}"
