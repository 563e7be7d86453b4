"""One non-terminal, with its rules, contexts and sentences to look at."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grammar_store.errors import NotInStoreError, OptionError
from grammar_store.show import grammar as show
from grammar_store.store.names import is_text, parse_id, parse_texts, text_of

if TYPE_CHECKING:
    import pandas as pd

    from grammar_store.facade import Store


class Example(NamedTuple):
    """An occurrence of a non-terminal: a sentence pair, cut at the edges of the phrase pair."""

    sentence_id: int
    source: tuple[str, str, str]
    target: tuple[str, str, str]


class Nonterminal:
    """A non-terminal of a store: ``store["X12"]`` or ``store["das neue ||| the new"]``.

    Attributes
    ----------
    id, source, target, count, rule_count, height, sentences
        Its row of the table ``nonterminal``.
    """

    def __init__(self, store: Store, row: dict[str, Any]) -> None:
        self._store = store
        self.id: int = row["nonterminal_id"]
        self.source: str = row["source"]
        self.target: str = row["target"]
        self.count: int = row["count"]
        self.rule_count: int = row["rule_count"]
        self.height: int = row["height"]
        self.sentences: int = row["sentences"]

    @classmethod
    def of(cls, store: Store, name: str | int) -> Nonterminal:
        """Find one by id (``12``, ``"X12"``) or by text."""
        number = name if isinstance(name, int) else parse_id(name)
        if isinstance(name, str) and not is_text(name):
            raise NotInStoreError(f"{name!r} names no non-terminal: it is not UTF-8 text")
        if number is not None:
            found = store.rows("queries/nonterminal_by_id", id=number)
        else:
            found = store.rows("queries/nonterminal_by_text", names=parse_texts(str(name)))
        if not found:
            raise NotInStoreError(_not_found(store, name))
        if len(found) > 1:
            names = ", ".join(f"X{row['nonterminal_id']}" for row in found)
            raise NotInStoreError(f"{name!r} can be read in several ways: choose from {names}")
        return cls(store, found[0])

    @property
    def name(self) -> str:
        """The short name, such as ``X12``."""
        return f"X{self.id}"

    @property
    def text(self) -> str:
        """The name by text, such as ``das neue ||| the new``."""
        return text_of(self.source, self.target)

    def rules(self, limit: int = 1000) -> pd.DataFrame:
        """Its rules, as written in the paper; the first `limit`."""
        return self._store.query("queries/grammar_listing", low=self.id, high=self.id, rows=limit)

    def contexts(self, limit: int = 1000) -> pd.DataFrame:
        """The contexts that it fills, the most frequent first."""
        return self._store.query("queries/contexts_listing", id=self.id, rows=limit)

    @property
    def stored_rules(self) -> int:
        """How many of its rules the store has: fewer than `rule_count` if it is pruned."""
        return int(self._store.rows("show/rule_count", id=self.id)[0]["rules"])

    @property
    def context_count(self) -> int:
        """How many contexts it fills."""
        return int(self._store.rows("show/context_count", id=self.id)[0]["contexts"])

    def examples(self, limit: int = 10) -> list[Example]:
        """Where it occurs in the bitext, the first `limit` places."""
        return [
            Example(
                row["sentence_id"],
                _cut(row["source"], row["source_start"], row["source_end"]),
                _cut(row["target"], row["target_start"], row["target_end"]),
            )
            for row in self._store.rows("queries/examples", id=self.id, rows=limit)
        ]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Nonterminal) and (self.id, self.source, self.target) == (
            other.id,
            other.source,
            other.target,
        )

    def __hash__(self) -> int:
        return hash((self.id, self.source, self.target))

    def __repr__(self) -> str:
        return f"<{self.name} {self.text!r}, count {self.count}>"

    def _repr_html_(self) -> str:
        return show.nonterminal(self)

    def __str__(self) -> str:
        rules = self.rules(limit=10).to_dict("records")
        left_out = self.rule_count - len(rules)
        lines = [
            f"{self.name}: {self.text}",
            f"count {self.count} in {self.sentences} sentence pairs, height {self.height}",
            *(
                f"  {self.name} -> ({row['source']}, {row['target']})  "
                + fraction_text(row["count"], self.count, self.rule_count)
                for row in rules
            ),
        ]
        return "\n".join([*lines, *([f"  ... and {left_out} more rules"] if left_out else [])])


def fraction_text(value: float, numerator: int, denominator: int) -> str:
    """A count as a fraction where it is the plain C(X) / number of rules, else in decimals.

    Examples
    --------
    >>> fraction_text(1 / 6, 1, 6), fraction_text(2.0, 2, 1), fraction_text(0.3, 1, 6)
    ('1/6', '2', '0.3')
    """
    if denominator and value == numerator / denominator:
        return str(Fraction(numerator, denominator))
    return f"{value:.6g}"


def _cut(sentence: str, start: int, end: int) -> tuple[str, str, str]:
    words = sentence.split(" ")
    return " ".join(words[:start]), " ".join(words[start:end]), " ".join(words[end:])


def chosen_ids(store: Store, top: int | None, names: Sequence[str | int] | None) -> list[int]:
    """The ids of the `top` most frequent non-terminals, or of those named."""
    if (top is None) == (names is None):
        raise OptionError("give either top, a number, or names, a list of non-terminals")
    if top is None:
        return [store[name].id for name in names or ()]
    if top < 1:
        raise OptionError(f"top must be at least 1, not {top}")
    return list(range(1, min(top, len(store)) + 1))


def _not_found(store: Store, name: str | int) -> str:
    if isinstance(name, int) or parse_id(name) is not None:
        shown = f"X{name}" if isinstance(name, int) else name
        known = f"ids run from X1 to X{len(store)}" if len(store) else "the store has none at all"
        return f"no non-terminal {shown}: {known}"
    near = store.rows("queries/near_nonterminals", text=name)
    offers = "; ".join(f"X{row['nonterminal_id']} {row['text']!r}" for row in near)
    if not parse_texts(name):
        return f"{name!r} names no non-terminal: write X12 or 'source ||| target'" + (
            f" (near: {offers})" if offers else ""
        )
    return f"no non-terminal {name!r}" + (f"; near matches: {offers}" if offers else "")
