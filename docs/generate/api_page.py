"""The reference of the Python interface, from docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from functools import cached_property
from pathlib import Path
from typing import Any

import grammar_store

_HEAD = """\
# Python interface

Made from the docstrings by `python docs/generate`. Everything starts with `grammar_store.open`; the
examples run in the tests. The pages on [sessions](sessions.md), [export](export.md) and
[queries](queries.md) show what to do with it.
"""

# What people meet on the way from `grammar_store.open`, in this order.
_CLASSES = (
    "grammar_store.facade.Store",
    "grammar_store.store.build.BuildReport",
    "grammar_store.extraction.options.ExtractionOptions",
    "grammar_store.nonterminal.Nonterminal",
    "grammar_store.nonterminal.Example",
    "grammar_store.rule.Rule",
    "grammar_store.rule.Context",
    "grammar_store.equivalence.verdict.Verdict",
    "grammar_store.equivalence.verdict.Class",
    "grammar_store.equivalence.verdict.Comparison",
    "grammar_store.equivalence.engine.Dissimilarities",
    "grammar_store.sessions.session.Session",
    "grammar_store.sessions.state.State",
    "grammar_store.sessions.member_class.MergedClass",
    "grammar_store.sessions.diff.Diff",
    "grammar_store.sessions.why.Why",
    "grammar_store.sessions.replay.Replay",
    "grammar_store.sessions.steps.Merge",
    "grammar_store.sessions.steps.Promotion",
    "grammar_store.sessions.steps.Evidence",
    "grammar_store.merging.assignment.KMedoidsResult",
)
_SECTION = re.compile(r"^(\w[\w ]*)\n-+$", re.MULTILINE)


def api_page() -> str:
    """The whole page: the package, the classes above, and all that packages name in __all__."""
    parts = [_HEAD, "## grammar_store\n"]
    for name in grammar_store.__all__:
        thing = getattr(grammar_store, name)
        if inspect.isfunction(thing):
            parts += _function(f"grammar_store.{name}", thing)
    for path in _CLASSES:
        module, _, name = path.rpartition(".")
        parts += _class(path, getattr(importlib.import_module(module), name))
    for module in _packages():
        parts += [f"## {module.__name__}\n", _prose(inspect.getdoc(module) or ""), ""]
        for name in sorted(module.__all__):
            thing = getattr(module, name)
            path = f"{module.__name__}.{name}"
            if inspect.isclass(thing) and path not in _CLASSES:
                parts += _class(path, thing, "###")
            elif callable(thing) and not inspect.isclass(thing):
                parts += _function(path, thing)
    parts += ["## grammar_store.errors\n", "| error | when |", "|---|---|"]
    for name, thing in vars(grammar_store.errors).items():
        if inspect.isclass(thing) and issubclass(thing, Exception):
            parts.append(f"| `{name}` | {_first_line(thing)} |")
    return "\n".join(parts) + "\n"


def _packages() -> list[Any]:
    """The packages below grammar_store that say what is public."""
    folder = Path(grammar_store.__file__).parent
    names = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
    modules = [importlib.import_module(f"grammar_store.{name}") for name in names]
    return [module for module in modules if hasattr(module, "__all__")]


def public_members(kind: type) -> list[str]:
    """The public methods and properties of a class, inherited ones of this package too."""
    found = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("grammar_store"):
            found.update(dict.fromkeys(vars(base)))
    members = [name for name in found if not name.startswith("_")]
    kinds = (property, cached_property, classmethod, staticmethod)
    return [
        name
        for name in members
        if isinstance(inspect.getattr_static(kind, name), kinds)
        or inspect.isfunction(inspect.getattr_static(kind, name))
    ]


def _class(path: str, kind: type, level: str = "##") -> list[str]:
    parts = [f"{level} {path}\n", _prose(inspect.getdoc(kind) or ""), ""]
    for name in public_members(kind):
        thing = inspect.getattr_static(kind, name)
        if isinstance(thing, (property, cached_property)):
            parts.append(f"- **`.{name}`**: {_first_line(thing)}")
        else:
            thing = getattr(kind, name)
            text = _prose(inspect.getdoc(thing) or "", nested=True)
            parts.append(f"- **`.{name}{_signature(thing)}`**: {text}")
    return [*parts, ""]


def _function(path: str, thing: Any) -> list[str]:
    return [f"### `{path}{_signature(thing)}`\n", _prose(inspect.getdoc(thing) or ""), ""]


def _signature(thing: Any) -> str:
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return "(...)"
    given = [
        one.replace(annotation=_Plain(one.annotation), default=_default(one.default))
        if one.annotation is not one.empty
        else one
        for one in signature.parameters.values()
        if one.name != "self"
    ]
    returned = signature.return_annotation
    if returned is not signature.empty:
        returned = _Plain(returned)
    return str(signature.replace(parameters=given, return_annotation=returned))


class _Plain:
    """An annotation that is shown without quotes."""

    def __init__(self, text: object) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text if isinstance(self._text, str) else inspect.formatannotation(self._text)


def _default(value: Any) -> Any:
    return _Plain(value.__name__) if inspect.isroutine(value) else value


def _first_line(thing: Any) -> str:
    return _plain((inspect.getdoc(thing) or "").partition("\n\n")[0])


def _plain(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _prose(doc: str, nested: bool = False) -> str:
    """A numpydoc text as Markdown: sections become lists, examples stay."""
    start, *rest = _SECTION.split(doc)
    parts = [_plain(block) if ">>>" not in block and "===" not in block else _code(block)
             for block in start.strip().split("\n\n")]  # fmt: skip
    if nested:
        parts = [" ".join(parts)]
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        if title == "Examples":
            parts.append(_code(body))
        else:
            parts += [f"*{title}*", _entries(body)]
    text = "\n\n".join(part for part in parts if part)
    return text.replace("\n", "\n  ") if nested else text


def _code(text: str) -> str:
    language = "pycon" if ">>>" in text else "text"
    return f"```{language}\n{inspect.cleandoc(text)}\n```"


def _entries(body: str) -> str:
    """What a section such as Parameters lists: names, and below them what they are."""
    lines: list[str] = []
    for line in inspect.cleandoc(body).splitlines():
        if line and not line.startswith(" "):
            lines.append(f"- `{line}`:")
        elif line:
            lines[-1] += " " + line.strip()
    return "\n".join(_spaced(line) for line in lines)


def _spaced(line: str) -> str:
    return line.replace("``", "`").rstrip(":")
