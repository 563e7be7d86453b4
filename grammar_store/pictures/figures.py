"""What all pictures share: figures without global state, and words in fonts that have them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from grammar_store.errors import OptionError
from grammar_store.show.text import cut, visible, word

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLUE, RED, GREY = "#4878a8", "#c44e52", "#888888"
LETTERS = 42
"""The most characters of a label."""

_GAP = re.compile(r"\[(?:_|X([0-9]+),([0-9]+))\]")
_DEFAULT = "DejaVu Sans"
_NO_GLYPH = "□"


def new_figure(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure with one pair of axes, in inches.

    Raises
    ------
    OptionError
        There is no matplotlib.
    """
    try:
        figure = _picture()(figsize=(width, height), layout="constrained")
    except ImportError as problem:
        raise OptionError(
            "pictures need matplotlib: install it with `pip install 'grammar-store[plot]'`"
        ) from problem
    axes = figure.add_subplot()
    for edge in ("top", "right"):
        axes.spines[edge].set_visible(False)
    return figure, axes


@cache
def _picture() -> type[Figure]:
    """The class of figures that notebooks show by themselves, without pyplot being set up."""
    from matplotlib.figure import Figure

    class Picture(Figure):
        def _repr_png_(self) -> bytes:
            file = BytesIO()
            self.savefig(file, format="png", dpi=100)
            return file.getvalue()

    return Picture


def whole_steps(axis: Any) -> None:
    """Ticks at whole numbers, with commas."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(integer=True))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def label(text: str) -> str:
    r"""A phrase pair, rule or context as a short label: words as they were, gaps as ``X12₁``.

    Examples
    --------
    >>> label("das [_] [X12,2] | the [_] [X12,2]")
    'das ▭ X12₂ | the ▭ X12₂'
    """
    return cut(" ".join(_symbol(symbol) for symbol in text.split(" ")), LETTERS)


def _symbol(symbol: str) -> str:
    gap = _GAP.fullmatch(symbol)
    if gap is None:
        return word(symbol)
    if gap[1] is None:
        return "▭"
    return f"X{gap[1]}" + "".join(chr(0x2080 + int(digit)) for digit in gap[2])


def words(texts: Iterable[str]) -> tuple[list[str], dict[str, Any]]:
    """Texts to be put into a picture, and how: never as mathematics, in fonts that have them.

    Characters that no font here has become □; matplotlib would warn of each of them.

    Returns
    -------
    tuple
        The texts, and arguments for whatever draws them.
    """
    given = [visible(text) for text in texts]
    fonts = {letter: _font_of(letter) for letter in set("".join(given))}
    shown = ["".join(letter if fonts[letter] else _NO_GLYPH for letter in text) for text in given]
    families = dict.fromkeys([_DEFAULT, *sorted(filter(None, fonts.values()))])
    return shown, {"parse_math": False, "family": list(families)}


@cache
def _font_of(letter: str) -> str | None:
    """The name of a font that has a character."""
    for family, letters in _fonts():
        if ord(letter) in letters:
            return family
    return None


@cache
def _font_files() -> tuple[tuple[str, str], ...]:
    from matplotlib import font_manager

    entries = [
        (entry.name, entry.fname)
        for entry in font_manager.fontManager.ttflist
        # The font of last resort has a box for everything, and a letter for nothing.
        if entry.style == "normal"
        and entry.weight in (400, "normal", "regular")
        and "LastResort" not in entry.name.replace(" ", "")
    ]
    return tuple(sorted(set(entries), key=lambda entry: (entry[0] != _DEFAULT, entry)))


def _fonts() -> Iterable[tuple[str, frozenset[int]]]:
    for family, path in _font_files():
        yield family, _letters_of(path)


@cache
def _letters_of(path: str) -> frozenset[int]:
    """The characters of a font file; none if its letters cannot be drawn at any size."""
    from matplotlib import font_manager

    font = font_manager.get_font(path)
    return frozenset(font.get_charmap()) if font.scalable else frozenset()
