"""The intrinsics of `bitsets.py` as LLVM instructions on vectors of eight words.

Importing it loads numba.
"""

from __future__ import annotations

import functools
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

_WORDS = 8
_WORD = ir.IntType(64)
_INDEX = types.int64
_VECTOR = ir.VectorType(_WORD, _WORDS)


def _row(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    """Return a pointer to row ``index`` of an array of rows of eight words, as a vector."""
    data = context.make_array(array_type)(context, builder, value=array).data
    offset = builder.mul(index, ir.Constant(index.type, _WORDS))
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


def _common(context: Any, builder: Any, kinds: Any, given: Any) -> Any:
    """Return what rows have in common as a vector; ``given``: an array and a row,
    another and a row, ...
    """
    pairs = zip(kinds[::2], given[::2], given[1::2], strict=True)
    rows = (builder.load(_row(context, builder, *pair), align=8) for pair in pairs)
    return functools.reduce(builder.and_, rows)


def _call(builder: Any, name: str, result: Any, argument: Any) -> Any:
    function = builder.module.globals.get(name)
    if function is None:
        function = ir.Function(builder.module, ir.FunctionType(result, [argument.type]), name)
    return builder.call(function, [argument])


def _count(builder: Any, vector: Any) -> Any:
    """Count the set bits of a vector of eight words."""
    ones = _call(builder, "llvm.ctpop.v8i64", vector.type, vector)
    return _call(builder, "llvm.vector.reduce.add.v8i64", _WORD, ones)


def _any(builder: Any, vector: Any) -> Any:
    """Return whether a vector of eight words has a bit set."""
    bits = _call(builder, "llvm.vector.reduce.or.v8i64", _WORD, vector)
    return builder.icmp_unsigned("!=", bits, ir.Constant(_WORD, 0))


@intrinsic
def popcount(_: Any, word: Any) -> Any:
    """Count the set bits of a word, uint64."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.ctpop(given[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def any_bit(_: Any, rows: Any, i: Any) -> Any:
    """Return whether row i has a bit set."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return _any(builder, _common(context, builder, signature.args, given))

    return types.boolean(rows, _INDEX), codegen


@intrinsic
def and_rows(_: Any, out: Any, o: Any, left: Any, x: Any, right: Any, y: Any) -> Any:
    """Write ``left[x] & right[y]`` to ``out[o]`` and count its bits."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        both = _common(context, builder, signature.args[2:], given[2:])
        builder.store(both, _row(context, builder, out, *given[:2]), align=8)
        return _count(builder, both)

    return types.int64(out, _INDEX, left, _INDEX, right, _INDEX), codegen


@intrinsic
def keep(_: Any, out: Any, o: Any, rows: Any, x: Any, flip: Any) -> Any:
    """Keep in ``out[o]`` what is in ``rows[x] ^ flip``; return whether a bit is left."""

    def codegen(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        kept = _row(context, builder, out, *given[:2])
        row = builder.load(_row(context, builder, rows, *given[2:4]), align=8)
        undefined = ir.Constant(_VECTOR, ir.Undefined)
        single = builder.insert_element(undefined, given[4], ir.Constant(ir.IntType(32), 0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), _WORDS), [0] * _WORDS)
        flips = builder.shuffle_vector(single, undefined, lanes)
        left = builder.and_(builder.load(kept, align=8), builder.xor(row, flips))
        builder.store(left, kept, align=8)
        return _any(builder, left)

    return types.boolean(out, _INDEX, rows, _INDEX, flip), codegen


def _common_count(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    return _count(builder, _common(context, builder, signature.args, given))


@intrinsic
def common(_: Any, left: Any, x: Any, right: Any, y: Any) -> Any:
    """Count the bits of ``left[x] & right[y]``."""
    return types.int64(left, _INDEX, right, _INDEX), _common_count


@intrinsic
def common_to_three(_: Any, left: Any, x: Any, right: Any, y: Any, also: Any, z: Any) -> Any:
    """Count the bits of ``left[x] & right[y] & also[z]``."""
    return types.int64(left, _INDEX, right, _INDEX, also, _INDEX), _common_count
