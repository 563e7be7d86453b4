"""Compiled functions are made anew when anything changes that they call."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from numba.core.dispatcher import Dispatcher

from grammar_store import compiling

PACKAGE = Path(compiling.__file__).parent


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages([str(PACKAGE)], "grammar_store."):
        if "__main__" not in found.name:
            yield importlib.import_module(found.name)


def compiled_in(module: ModuleType) -> list[Dispatcher]:
    return [
        value
        for value in vars(module).values()
        if isinstance(value, Dispatcher) and value.py_func.__module__ == module.__name__
    ]


def test_all_are_kept_with_the_stamp_of_all() -> None:
    functions = [function for module in modules() for function in compiled_in(module)]
    assert len(functions) > 300
    expected = compiling.stamp_of(PACKAGE)
    for function in functions:
        assert function._cache._cache_file._source_stamp == expected


def test_constants_come_from_files_that_change_the_stamp() -> None:
    """What is not a function is compiled in as well."""
    constants = 0
    for module in modules():
        names = {name for one in compiled_in(module) for name in one.py_func.__code__.co_names}
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text())):
            if not isinstance(node, ast.ImportFrom) or not str(node.module).startswith("grammar_"):
                continue
            for name in {one.asname or one.name for one in node.names} & names:
                if not isinstance(vars(module)[name], (Dispatcher, type)):
                    source = Path(str(importlib.import_module(str(node.module)).__file__))
                    assert "compiling import" in source.read_text(), (module, name)
                    constants += 1
    assert constants > 100


def test_the_stamp_changes_with_each_file_that_has_compiled_functions(tmp_path: Path) -> None:
    copy = shutil.copytree(PACKAGE, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    before = compiling.stamp_of(copy)
    for name, changes in (("merging/fringe/rows.py", True), ("cli/sql.py", False)):
        text = (copy / name).read_text()
        (copy / name).write_text(text + "\n")
        assert (compiling.stamp_of(copy) != before) == changes
        (copy / name).write_text(text)
    assert compiling.stamp_of(copy) == before


def test_a_function_is_made_anew_when_what_it_calls_is_another(tmp_path: Path) -> None:
    package = tmp_path / "grammar_store"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copy(PACKAGE / "compiling.py", package)
    header = "from grammar_store.compiling import kernel\n"
    caller = "from grammar_store.called import called\n\n@kernel\ndef caller(x):\n"
    (package / "caller.py").write_text(header + caller + "    return called(x)\n")
    answers, kept = [], []
    for number in (1, 1, 2):
        (package / "called.py").write_text(
            header + f"\n@kernel\ndef called(x):\n    return x + {number}\n"
        )
        code = (
            "from grammar_store.caller import caller\n"
            "print(caller(40), sum(caller.stats.cache_hits.values()))"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        answer, hits = done.stdout.split()
        answers.append(int(answer))
        kept.append(int(hits))
    assert answers == [41, 41, 42]
    assert kept == [0, 1, 0]


def test_functions_of_others_are_kept_as_numba_keeps_them() -> None:
    def other() -> None: ...

    places = compiling.caching.CacheImpl._locator_classes
    ours = [place for place in places if issubclass(place, compiling._OfThisPackage)]
    assert len(ours) >= 3
    assert all(place.from_function(other, __file__) is None for place in ours)
