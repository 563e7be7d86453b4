"""What a rule table cannot say of itself, in a small file beside it.

None of the formats has comments that all of its readers skip. So ``FILE.signature.json`` holds the
signature, and what reading needs to give back the same grammar: the names of features, the labels
with their counts, and those of unknown words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from grammar_store.errors import InputError
from grammar_store.export.files import new_file
from grammar_store.export.rules import TranslationGrammar


def sidecar_of(path: str | Path) -> Path:
    """The name of the small file.

    Examples
    --------
    >>> sidecar_of("rules.gz").name
    'rules.gz.signature.json'
    """
    path = Path(path)
    return path.with_name(f"{path.name}.signature.json")


def write_sidecar(
    path: Path, grammar: TranslationGrammar, form: str, names: Sequence[str], entities: bool
) -> None:
    """Write the small file of a rule table."""
    facts = {
        "format": form,
        "features": list(names),
        "sparse": [name for name in names if name in grammar.sparse],
        "entities": entities,
        "labels": grammar.labels.to_pylist(),
        "unknown": grammar.unknown.to_pylist(),
    }
    write_facts(path, grammar.signature, facts)


def write_facts(path: Path, signature: str, facts: dict[str, Any]) -> None:
    """Write a small file beside any export; a device or a pipe has none."""
    if path.exists() and not path.is_file():
        return
    said: dict[str, Any] = {"signature": signature, "version": version("grammar-store")}
    said |= {"bytes": path.stat().st_size if path.exists() else None, **facts}
    text = json.dumps(said, ensure_ascii=False, indent=1, allow_nan=False)
    with new_file(sidecar_of(path)) as sink:
        sink.write(text.encode() + b"\n")


def read_sidecar(path: Path) -> dict[str, Any] | None:
    """What the small file says; None if there is none."""
    beside = sidecar_of(path)
    if not beside.exists():
        return None
    try:
        facts = json.loads(beside.read_bytes())
    except (OSError, ValueError) as problem:
        raise InputError(
            f"cannot be read: {problem}: remove it to read {path.name} without it", beside
        ) from problem
    if not isinstance(facts, dict) or facts.get("bytes") != path.stat().st_size:
        # Such as after a kill between the two: the names of features could be other ones.
        raise InputError(f"is not about {path.name} as it is: remove it", beside)
    return facts
