"""What decoders need beside a rule table: glue rules, labels of unknown words, settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, count
from pathlib import Path

from grammar_store.export.entities import to_moses, to_scfg
from grammar_store.export.files import new_file
from grammar_store.export.formats import written_features
from grammar_store.export.rules import TranslationGrammar

_DEFAULT = "X"  # what Moses calls an unknown word if no file says otherwise
_TOPS = ("S", "GOAL", "TOP")
_MOST_SPAN = 20
_LIMIT = 20
_MOST_LIMIT = 1000


def write_companions(
    grammar: TranslationGrammar, path: str | Path, form: str, features: Sequence[str] | None = None
) -> list[Path]:
    """Write the files that go with a rule table, named after it.

    Parameters
    ----------
    grammar
        The grammar of the table.
    path
        The table.
    form
        Its format. For all of them ``NAME.glue``; for Moses also ``NAME.unknown-lhs``, if the
        grammar tells the labels of unknown words, and ``NAME.moses.ini``, the part of its
        settings that speaks of these files.
    features
        The names of the features of the table, by default those that `write_rules` chooses.

    Returns
    -------
    list of Path
        The files written.
    """
    path = Path(path)
    base = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    glue, unknown, ini = (
        base.with_name(f"{base.name}.{ending}") for ending in ("glue", "unknown-lhs", "moses.ini")
    )
    texts = {glue: glue_rules(grammar, form)}
    if form == "moses":
        if grammar.unknown.num_rows:
            texts[unknown] = unknown_labels(grammar)
        names = written_features(grammar, form, features)
        dense = sum(name not in grammar.sparse for name in names)
        texts[ini] = moses_ini(grammar, path, glue, unknown, dense)
    for file, lines in texts.items():
        with new_file(file) as sink:
            sink.write("".join(f"{line}\n" for line in lines).encode())
    return list(texts)


def glue_rules(grammar: TranslationGrammar, form: str) -> list[str]:
    r"""The glue rules of a grammar, one for each label, as lines of a format.

    A sentence that has no derivation silences the Moses decoder, so an unknown word must have
    glue, too: under the labels that it may have, else under X.

    Examples
    --------
    >>> grammar = TranslationGrammar.of([{"lhs": "X1", "source": "das", "target": "the"}])
    >>> print("\n".join(glue_rules(grammar, "moses")))
    <s> [X] ||| <s> [S] ||| 1 ||| 0-0 ||| 0 ||| |||
    [X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||
    [X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||
    [X][S] [X][X1] [X] ||| [X][S] [X][X1] [S] ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||
    >>> print("\n".join(glue_rules(grammar, "joshua")))
    [GOAL] ||| <s> ||| <s> ||| 0
    [GOAL] ||| [GOAL,1] </s> ||| [GOAL,1] </s> ||| 0
    [GOAL] ||| [GOAL,1] [X,2] ||| [GOAL,1] [X,2] ||| -1
    [GOAL] ||| [GOAL,1] [X1,2] ||| [GOAL,1] [X1,2] ||| -1
    """
    labels = glue_labels(grammar)
    if form == "moses":
        top = to_moses(_free(labels, _TOPS))
        return [
            f"<s> [X] ||| <s> [{top}] ||| 1 ||| 0-0 ||| 0 ||| |||",
            f"[X][{top}] </s> [X] ||| [X][{top}] </s> [{top}] ||| 1 ||| 0-0 1-1 ||| 0 ||| |||",
            *(
                f"[X][{top}] [X][{label}] [X] ||| [X][{top}] [X][{label}] [{top}]"
                " ||| 2.718 ||| 0-0 1-1 ||| 0 ||| |||"
                for label in map(to_moses, labels)
            ),
        ]
    if form == "joshua":
        top = to_scfg(_free(labels, ("GOAL", "TOP")))
        return [
            f"[{top}] ||| <s> ||| <s> ||| 0",
            f"[{top}] ||| [{top},1] </s> ||| [{top},1] </s> ||| 0",
            *(
                f"[{top}] ||| [{top},1] [{label},2] ||| [{top},1] [{label},2] ||| -1"
                for label in map(to_scfg, labels)
            ),
        ]
    top = to_scfg(_free(labels, _TOPS))
    return [
        line
        for label in map(to_scfg, labels)
        for line in (
            f"[{top}] ||| [{label},1] ||| [1] ||| Glue=0",
            f"[{top}] ||| [{top},1] [{label},2] ||| [1] [2] ||| Glue=1",
        )
    ]


def glue_labels(grammar: TranslationGrammar) -> list[str]:
    """The labels that need glue: those of rules and those of unknown words."""
    unknown = grammar.unknown["label"].to_pylist() or [_DEFAULT]
    return sorted({*grammar.labels["label"].to_pylist(), *unknown})


def unknown_labels(grammar: TranslationGrammar) -> list[str]:
    """The labels of unknown words with their probabilities, as Moses reads them."""
    rows = grammar.unknown.to_pylist()
    rows.sort(key=lambda row: (-row["probability"], row["label"]))
    return [f"{to_moses(row['label'])} {row['probability']!r}" for row in rows]


def moses_ini(
    grammar: TranslationGrammar, table: Path, glue: Path, unknown: Path, features: int
) -> list[str]:
    """The part of Moses' settings that speaks of a grammar; language model and tuning are yours.

    The decoder keeps the best `table-limit` rules of a source side, whatever their labels, so
    that grows with the labels.
    """
    limit = min(_MOST_LIMIT, _LIMIT * max(1, grammar.labels.num_rows))
    memory = "PhraseDictionaryMemory input-factor=0 output-factor=0"
    weights = " ".join(["0.2"] * features)
    lines = [
        "# Add a language model: a line under [feature] and its weight.",
        *("[input-factors]", "0", ""),
        *("[mapping]", "0 T 0", "1 T 1", ""),
        *("[non-terminals]", _DEFAULT, ""),
        *("[search-algorithm]", "3", ""),
        *("[inputtype]", "3", ""),
        *("[cube-pruning-pop-limit]", "1000", ""),
        *("[max-chart-span]", f"{_MOST_SPAN}", "1000", ""),
    ]
    if grammar.unknown.num_rows:
        lines += ["[unknown-lhs]", str(unknown.resolve()), ""]
    lines += [
        "[feature]",
        "UnknownWordPenalty",
        "WordPenalty",
        f"{memory} name=TranslationModel0 num-features={features} path={table.resolve()}"
        f" table-limit={limit}",
        f"{memory} name=TranslationModel1 num-features=1 path={glue.resolve()}",
        "",
        "[weight]",
        "UnknownWordPenalty0= 1",
        "WordPenalty0= -1",
        f"TranslationModel0= {weights}",
        "TranslationModel1= 1.0",
    ]
    return lines


def _free(labels: Iterable[str], wanted: Iterable[str]) -> str:
    """A name for the top that no label has."""
    taken = set(labels)
    names = chain(wanted, (f"S{number}" for number in count()))
    return next(name for name in names if name not in taken)
