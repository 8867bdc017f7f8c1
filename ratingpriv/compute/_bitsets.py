"""The intrinsics of `bitsets.py` as LLVM instructions on vectors of eight words; importing it loads numba."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

__all__ = ["and_rows", "any_bit", "common", "popcount"]

_WORDS = 8
_INDEX = types.int64


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


@intrinsic
def popcount(_: Any, word: Any) -> Any:
    """Count the set bits of a word, uint64."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def any_bit(_: Any, rows: Any, i: Any) -> Any:
    """Return whether row i has a bit set."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        row = _load(context, builder, rows, arguments[0], arguments[1])
        bits = _call(builder, "llvm.vector.reduce.or.v8i64", ir.IntType(64), row)
        return builder.icmp_unsigned("!=", bits, ir.Constant(ir.IntType(64), 0))

    return types.boolean(rows, _INDEX), codegen


@intrinsic
def and_rows(_: Any, out: Any, o: Any, left: Any, x: Any, right: Any, y: Any) -> Any:
    """Write ``left[x] & right[y]`` to ``out[o]`` and count its bits."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, o, left_rows, x, right_rows, y = arguments
        both = builder.and_(
            _load(context, builder, left, left_rows, x), _load(context, builder, right, right_rows, y)
        )
        builder.store(both, _row(context, builder, out, to, o), align=8)
        return _count(builder, both)

    return types.int64(out, _INDEX, left, _INDEX, right, _INDEX), codegen


@intrinsic
def common(_: Any, left: Any, x: Any, right: Any, y: Any) -> Any:
    """Count the bits of ``left[x] & right[y]``."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left_rows, x, right_rows, y = arguments
        both = builder.and_(
            _load(context, builder, left, left_rows, x), _load(context, builder, right, right_rows, y)
        )
        return _count(builder, both)

    return types.int64(left, _INDEX, right, _INDEX), codegen
