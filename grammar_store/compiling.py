"""How functions are compiled, and when they are compiled anew.

Compiled functions are kept in `__pycache__`, with all that they call inside. By itself numba makes
one anew when its own file changes, and not when a file does that it calls something in: after an
upgrade it would run together with what it does not fit. So here all are made anew as soon as a
file with any of them changes.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from numba import njit
from numba.core import caching

_PACKAGE = Path(__file__).parent


def stamp_of(folder: Path) -> str:
    """What changes with any file in a folder that has compiled functions."""
    stamp = sha256()
    for path in sorted(folder.rglob("*.py")):
        text = path.read_bytes()
        if path.name == "compiling.py" or b"compiling import" in text:
            stamp.update(f"{path.relative_to(folder)} {len(text)}\n".encode() + text)
    return stamp.hexdigest()


@cache
def _stamp() -> str:
    return stamp_of(_PACKAGE)


class _OfThisPackage:
    """Where functions of this package are kept: where numba keeps all, but with another stamp."""

    def get_source_stamp(self) -> str:
        return _stamp()

    @classmethod
    def from_function(cls, function: Any, file: str) -> Any:
        if not Path(file).is_relative_to(_PACKAGE):
            return None
        return super().from_function(function, file)  # type: ignore[misc]


_BY_FILE = caching._SourceFileBackedLocatorMixin.get_source_stamp

caching.CacheImpl._locator_classes = [
    *(
        type(f"{place.__name__}OfThisPackage", (_OfThisPackage, place), {})
        for place in caching.CacheImpl._locator_classes
        if place.get_source_stamp is _BY_FILE
    ),
    *caching.CacheImpl._locator_classes,
]


def kernel(function: Any = None, **options: Any) -> Any:
    """Compile a function when it is first called, and keep it.

    Parameters
    ----------
    function
        What to compile.
    options
        Others of numba.
    """
    return njit(function, cache=True, nogil=True, **options)
