"""How the kernels of a run are compiled.

They hand many arrays to each other. What only kernels call is compiled without the means to be
called from Python, which would take longer than the function itself; and, unless it makes arrays or
lists, without counting references: the arrays of a run outlive every call, and counting takes more
than half of the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

allocating = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=True)
inner = njit(cache=True, nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)

if TYPE_CHECKING:

    def wide(number: Any) -> int: ...

else:
    # A number as it is handed on: one kind for all, so that functions are compiled once.
    wide = np.int64
