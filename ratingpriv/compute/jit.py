"""How compiled kernels are compiled: one place for the flags, and the few intrinsics.

Kernels release the GIL, are cached on disk, and never use ``fastmath``. With ``NUMBA_DISABLE_JIT=1`` they are
plain Python functions, slow and debuggable, with the same results.

The intrinsics work on rows of eight 64-bit words: LLVM vectors, which become whatever the machine has (one
AVX-512 register, two of AVX2, ...). Loops over the eight words would do, but LLVM unrolls them before it
vectorises and then cannot, because the row that is written might be one that is read; they measured twice as
slow. They are not bounds-checked; with ``NUMBA_BOUNDSCHECK=1`` plain loops that are take their place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba as typed_numba
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.core.options import DefaultOptions
from numba.extending import intrinsic

from ratingpriv.compute.compiling import compiled

__all__ = ["and_rows", "any_bit", "common", "kernel", "part", "popcount"]

numba: Any = typed_numba  # its annotations know neither config's names nor all flags
_WORDS = 8
_FLAGS: dict[str, Any] = {"fastmath": False, "error_model": "numpy"}
# Kernels work on arrays they are given. Without code that counts references they compile in half the time.
_LEAN = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}

# A call that is not inlined pushes every field of every array: some hundred words.
_PART = {"forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel[F: Callable[..., Any]](function: F) -> F:
    """Compile ``function`` when it is first called; the compiled code is kept on disk for later processes.

    It allocates nothing.
    """
    return cast("F", compiled(**_FLAGS, **_LEAN, no_cfunc_wrapper=True)(function))


def part[F: Callable[..., Any]](function: F) -> F:
    """Compile ``function`` as a part of kernels: they can call it, Python cannot. It allocates nothing."""
    return cast("F", compiled(**_FLAGS, **_LEAN, **_PART)(function))


def _row(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return a pointer to row ``index`` of an array of rows of eight words, as a vector."""
    data = context.make_array(array_type)(context, builder, value=array).data
    offset = builder.mul(index, ir.Constant(index.type, _WORDS))
    return builder.bitcast(builder.gep(data, [offset]), ir.VectorType(ir.IntType(64), _WORDS).as_pointer())


def _load(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.load(_row(context, builder, array_type, array, index), align=8)


def _call(builder: Any, name: str, result: Any, argument: Any) -> Any:
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(result, [argument.type]), name)
    return builder.call(function, [argument])


def _count(builder: Any, vector: Any) -> Any:
    """Count the set bits of a vector of eight words."""
    ones = _call(builder, "llvm.ctpop.v8i64", vector.type, vector)
    return _call(builder, "llvm.vector.reduce.add.v8i64", ir.IntType(64), ones)


_INDEX = types.int64


def _compiled_popcount(_: Any, word: Any) -> Any:
    """Count the set bits of a word, uint64."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), codegen


def _compiled_any_bit(_: Any, rows: Any, i: Any) -> Any:
    """Return whether row i has a bit set."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = _load(context, builder, rows, arguments[0], arguments[1])
        bits = _call(builder, "llvm.vector.reduce.or.v8i64", ir.IntType(64), row)
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(64), 0))

    return types.boolean(rows, _INDEX), codegen


def _compiled_and_rows(_: Any, out: Any, o: Any, left: Any, x: Any, right: Any, y: Any) -> Any:
    """Write ``left[x] & right[y]`` to ``out[o]`` and count its bits."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, o, left_rows, x, right_rows, y = arguments
        both = builder.and_(
            _load(context, builder, left, left_rows, x), _load(context, builder, right, right_rows, y)
        )
        builder.store(both, _row(context, builder, out, to, o), align=8)
        return _count(builder, both)

    return types.int64(out, _INDEX, left, _INDEX, right, _INDEX), codegen


def _compiled_common(_: Any, left: Any, x: Any, right: Any, y: Any) -> Any:
    """Count the bits of ``left[x] & right[y]``."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left_rows, x, right_rows, y = arguments
        both = builder.and_(
            _load(context, builder, left, left_rows, x), _load(context, builder, right, right_rows, y)
        )
        return _count(builder, both)

    return types.int64(left, _INDEX, right, _INDEX), codegen


def _plain_popcount(word: Any) -> int:
    return int(word).bit_count()


popcount: Callable[..., Any] = (
    _plain_popcount if numba.config.DISABLE_JIT else cast("Callable[..., Any]", intrinsic(_compiled_popcount))
)


def _plain_any_bit(rows: Any, i: int) -> bool:
    for word in range(_WORDS):  # noqa: SIM110 -- numba knows no generators
        if rows[i, word]:
            return True
    return False


def _plain_and_rows(out: Any, o: int, left: Any, x: int, right: Any, y: int) -> int:
    count = 0
    for word in range(_WORDS):
        out[o, word] = left[x, word] & right[y, word]
        count += int(popcount(out[o, word]))
    return count


def _plain_common(left: Any, x: int, right: Any, y: int) -> int:
    count = 0
    for word in range(_WORDS):
        count += int(popcount(left[x, word] & right[y, word]))
    return count


def _choose(compiled: Callable[..., Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    """Take the intrinsic, or its plain twin where there is no JIT or bounds are to be checked."""
    if numba.config.DISABLE_JIT or numba.config.BOUNDSCHECK:
        return part(plain)
    return cast("Callable[..., Any]", intrinsic(compiled))


any_bit = _choose(_compiled_any_bit, _plain_any_bit)
and_rows = _choose(_compiled_and_rows, _plain_and_rows)
common = _choose(_compiled_common, _plain_common)
