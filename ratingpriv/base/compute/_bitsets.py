"""The intrinsics of `bitsets.py` as LLVM instructions on vectors of eight words; importing it loads numba."""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

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


@intrinsic
def keep_common(_: Any, out: Any, o: Any, rows: Any, first: Any, which: Any, flips: Any, count: Any) -> Any:
    """Keep in ``out[o]`` what is in each of some rows, flipped where asked; return whether a bit is left."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, o, table, first, places, turned, count = arguments
        word, vector = ir.IntType(64), ir.VectorType(ir.IntType(64), _WORDS)
        place_data = context.make_array(which)(context, builder, value=places).data
        flip_data = context.make_array(flips)(context, builder, value=turned).data
        kept_at = _row(context, builder, out, to, o)
        start, before = builder.load(kept_at, align=8), builder.block
        head = builder.append_basic_block("keep.head")
        body = builder.append_basic_block("keep.body")
        done = builder.append_basic_block("keep.done")
        builder.branch(head)
        builder.position_at_end(head)
        q, shared = builder.phi(word), builder.phi(vector)
        builder.cbranch(builder.icmp_signed("<", q, count), body, done)
        builder.position_at_end(body)
        row = builder.add(first, builder.load(builder.gep(place_data, [q])))
        flip = builder.load(builder.gep(flip_data, [q]))
        single = builder.insert_element(
            ir.Constant(vector, ir.Undefined), flip, ir.Constant(ir.IntType(32), 0)
        )
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), _WORDS), [0] * _WORDS)
        spread = builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), lanes)
        bits = builder.xor(_load(context, builder, rows, table, row), spread)
        less = builder.and_(shared, bits)
        left = _call(builder, "llvm.vector.reduce.or.v8i64", word, less)
        following = builder.add(q, ir.Constant(word, 1))
        builder.cbranch(builder.icmp_unsigned("!=", left, ir.Constant(word, 0)), head, done)
        q.add_incoming(ir.Constant(word, 0), before)
        q.add_incoming(following, body)
        shared.add_incoming(start, before)
        shared.add_incoming(less, body)
        builder.position_at_end(done)
        last = builder.phi(vector)
        last.add_incoming(shared, head)
        last.add_incoming(less, body)
        builder.store(last, kept_at, align=8)
        bits_left = _call(builder, "llvm.vector.reduce.or.v8i64", word, last)
        return builder.icmp_unsigned("!=", bits_left, ir.Constant(word, 0))

    return types.boolean(out, _INDEX, rows, _INDEX, which, flips, _INDEX), codegen


@intrinsic
def common_to_three(_: Any, left: Any, x: Any, right: Any, y: Any, also: Any, z: Any) -> Any:
    """Count the set bits of ``left[x] & right[y] & also[z]``."""

    def codegen(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left_rows, x, right_rows, y, also_rows, z = arguments
        both = builder.and_(
            _load(context, builder, left, left_rows, x), _load(context, builder, right, right_rows, y)
        )
        return _count(builder, builder.and_(both, _load(context, builder, also, also_rows, z)))

    return types.int64(left, _INDEX, right, _INDEX, also, _INDEX), codegen
