"""How the larger parts of the kernels here are compiled: once each, and called; see proximity/_jit.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from numba.core.options import DefaultOptions

from ratingpriv.compute.compiling import compiled

__all__ = ["routine"]

_LEAN = {"_nrt": False} if hasattr(DefaultOptions, "_nrt") else {}


def routine[F: Callable[..., Any]](function: F) -> F:
    """Compile ``function`` as a part of kernels that is called, not inlined: it is long, and called rarely.

    Each call pushes every field of every array, some hundred words; inlined everywhere, kernels took half a
    minute to compile.
    """
    flags = {"fastmath": False, "error_model": "numpy", **_LEAN}
    return cast("F", compiled(**flags, no_cpython_wrapper=True, no_cfunc_wrapper=True)(function))
