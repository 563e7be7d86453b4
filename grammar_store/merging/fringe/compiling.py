"""How the kernels of a run are compiled.

They hand many arrays to each other. What only kernels call is compiled without the means to be
called from Python, which would take longer than the function itself; and, unless it makes arrays or
lists, without counting references: the arrays of a run outlive every call, and counting takes more
than half of the time. A tuple of arrays is handed on as one address (`refer`), as copying hundreds
of numbers takes longer than many a function, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.datamodel import PrimitiveModel
from numba.core.datamodel.manager import DataModelManager
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, register_model

from grammar_store.compiling import kernel

allocating = kernel(no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=True)
inner = kernel(no_cpython_wrapper=True, no_cfunc_wrapper=True, _nrt=False)

# For what is short, or called from the innermost loops alone.
inlined = kernel(
    no_cpython_wrapper=True,
    no_cfunc_wrapper=True,
    _nrt=False,
    forceinline=True,
)


class Reference(types.Type):  # type: ignore[misc]
    """Where a named tuple is, which stays as it is."""

    def __init__(self, target: types.BaseNamedTuple) -> None:
        self.target = target
        super().__init__(name=f"reference({target.name})")


@register_model(Reference)
class _Address(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, models: DataModelManager, kind: Reference) -> None:
        value = models.lookup(kind.target).get_value_type()
        super().__init__(models, kind, ir.PointerType(value))


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = Reference

    def generic_resolve(self, reference: Reference, name: str) -> types.Type | None:
        if name not in reference.target.fields:
            return None
        field = reference.target.types[reference.target.fields.index(name)]
        return Reference(field) if isinstance(field, types.BaseNamedTuple) else field


@lower_getattr_generic(Reference)
def _field(context: Any, builder: Any, kind: Reference, address: Any, name: str) -> Any:
    """The field of a tuple: its address if it is a tuple itself."""
    index = kind.target.fields.index(name)
    place = cgutils.gep_inbounds(builder, address, 0, index)
    if isinstance(kind.target.types[index], types.BaseNamedTuple):
        return place
    loaded = builder.load(place)
    # It never changes, so it need not be loaded again after something else was written.
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return impl_ret_borrowed(context, builder, kind.target.types[index], loaded)


@intrinsic
def _refer(_: Any, target: types.Type) -> Any:
    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        place = cgutils.alloca_once_value(builder, values[0])
        # Nothing may be known of what is there before it is.
        kind = ir.FunctionType(place.type, [place.type])
        return builder.asm(kind, "", "=r,0,~{memory}", [place], True)

    return Reference(target)(target), generate


if TYPE_CHECKING:
    _Tuple = TypeVar("_Tuple")

    def wide(number: Any) -> int: ...
    def refer(target: _Tuple) -> _Tuple: ...

else:
    # A number as it is handed on: one kind for all, so that functions are compiled once.
    wide = np.int64
    # A tuple as it is handed on, by the function that is called from Python: it must not return
    # before all are done with it.
    refer = _refer
