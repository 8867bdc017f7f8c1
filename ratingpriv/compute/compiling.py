"""The one way kernels are compiled: flags, and what happens where compiled code cannot be kept.

Compiled kernels release the GIL and are kept on disk for later processes. Where no folder for them can be
written (a read-only installation without a home), they are compiled anew in every process instead of failing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba as typed_numba

__all__ = ["compiled"]

_numba: Any = typed_numba  # its annotations know neither config's names nor all flags


def compiled(**flags: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that compiles a function when it is first called; ``flags`` go to ``numba.njit``."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        try:
            return cast("Callable[..., Any]", _numba.njit(nogil=True, cache=True, **flags)(function))
        except RuntimeError as error:  # numba: "cannot cache function ...: no locator available"
            if "cannot cache" not in str(error):
                raise
            return cast("Callable[..., Any]", _numba.njit(nogil=True, **flags)(function))

    return decorate
