"""The options of extraction and the named sets of them (docs/definitions.md, D1-D4 and D12)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from grammar_store.errors import OptionError

Lexical = Literal["either", "source", "both", "aligned"]
Counting = Literal["type", "occurrence"]

MAX_GAPS = 4
MAX_WORDS_IN_FULL_MODE = 100


@dataclass(frozen=True)
class ExtractionOptions:
    """What counts as a phrase pair, as a rule, and how counts are spread.

    Parameters
    ----------
    max_gaps
        The most gaps in a rule. One gap reproduces Table 1 of the paper.
    max_length
        The most words of a phrase pair on either side; None for no limit.
    max_source_symbols
        The most words and gaps on the source side of a rule; None for no limit.
    min_gap_length
        The fewest source words that a gap stands for.
    adjacent_gaps
        Whether two gaps may stand side by side on the source side.
    tight
        Keep only phrase pairs whose four edge words are linked.
    lexical
        Which rules have enough words of their own: ``either`` side has a word, the
        ``source`` side has one, ``both`` sides have one, or two words that are
        ``aligned`` to each other stand outside the gaps.
    counting
        ``type`` spreads C(X) over the distinct rules of X, as the paper does;
        ``occurrence`` spreads every occurrence over the rules that it licenses.
    max_words
        Skip sentence pairs with more words on a side; None for no limit. The default
        is 100 where phrase pairs have no `max_length`, else no limit.
    max_phrase_pairs
        Skip sentence pairs with more phrase pairs than this: unaligned words multiply,
        and a single link in a pair of 200 words each makes 100 million.

    Examples
    --------
    >>> ExtractionOptions(max_gaps=2).max_words
    100
    >>> ExtractionOptions.preset("moses", max_gaps=1).min_gap_length
    2
    >>> ExtractionOptions.preset("full", max_length=5) == ExtractionOptions(max_length=5)
    True
    """

    max_gaps: int = 1
    max_length: int | None = None
    max_source_symbols: int | None = None
    min_gap_length: int = 1
    adjacent_gaps: bool = True
    tight: bool = False
    lexical: Lexical = "either"
    counting: Counting = "type"
    max_words: int | None = -1
    max_phrase_pairs: int = 20_000

    def __post_init__(self) -> None:
        if self.max_words == -1:
            full = self.max_length is None
            object.__setattr__(self, "max_words", MAX_WORDS_IN_FULL_MODE if full else None)
        for name in ("max_length", "max_source_symbols", "max_words"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= 60_000:
                raise OptionError(f"{name} must be from 1 to 60000 or None, not {value}")
        if not 0 <= self.max_gaps <= MAX_GAPS:
            raise OptionError(f"max_gaps must be from 0 to {MAX_GAPS}, not {self.max_gaps}")
        if self.min_gap_length < 1:
            raise OptionError(f"min_gap_length must be at least 1, not {self.min_gap_length}")
        if not 1 <= self.max_phrase_pairs <= 10_000_000:
            raise OptionError(
                f"max_phrase_pairs must be from 1 to 10000000, not {self.max_phrase_pairs}"
            )
        for name, kind in (("lexical", Lexical), ("counting", Counting)):
            value = getattr(self, name)
            if value not in get_args(kind):
                raise OptionError(f"{name} must be one of {get_args(kind)}, not {value!r}")

    @classmethod
    def preset(cls, name: str, **changes: Any) -> ExtractionOptions:
        """The options of a preset, with single ones changed."""
        if name not in PRESETS:
            raise OptionError(f"no preset {name!r}: choose from {', '.join(PRESETS)}")
        unknown = sorted(set(changes) - {field.name for field in fields(cls)})
        if unknown:
            raise OptionError(f"no option {unknown[0]!r} in extraction")
        if "max_length" in changes:
            changes.setdefault("max_words", -1)  # its default depends on the length
        return replace(PRESETS[name], **changes)

    def as_dict(self) -> dict[str, Any]:
        """All options by name, for the store's record."""
        return asdict(self)

    def changes(self) -> dict[str, Any]:
        """The options that differ from the defaults.

        >>> ExtractionOptions(max_gaps=2).changes()
        {'max_gaps': 2}
        """
        plain = ExtractionOptions(max_length=self.max_length)
        changed = {
            name: value for name, value in self.as_dict().items() if value != getattr(plain, name)
        }
        return changed if self.max_length is None else {"max_length": self.max_length} | changed


PRESETS: dict[str, ExtractionOptions] = {
    # The paper's section 4.1: every phrase pair, of any length, and one gap.
    "full": ExtractionOptions(),
    # Chiang 2007, section 3.2: his six restrictions and his counting.
    "hiero": ExtractionOptions(
        max_gaps=2,
        max_length=10,
        max_source_symbols=5,
        adjacent_gaps=False,
        tight=True,
        lexical="aligned",
        counting="occurrence",
    ),
    # What Moses' hierarchical extractor does when given no options.
    "moses": ExtractionOptions(
        max_gaps=2,
        max_length=10,
        max_source_symbols=5,
        min_gap_length=2,
        adjacent_gaps=False,
        lexical="aligned",
        counting="occurrence",
    ),
}
