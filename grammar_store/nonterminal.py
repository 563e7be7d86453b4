"""One non-terminal, with its rules, contexts and sentences to look at."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from grammar_store.show import grammar as show
from grammar_store.store.names import text_of

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
