"""Kernels: loops over arrays, plain Python on small data, compiled by numba on large; and the flags.

A kernel is written once, in the Python that numba compiles. Its decorator makes it a :class:`Kernel`, which
decides at each call. Where the arrays are small and plain Python has not yet cost this process much, the loop
runs as it stands, and numba, whose import alone takes half a second, is not even loaded. Otherwise it is
compiled: the code releases the GIL, is kept on disk for later processes and never uses ``fastmath``. Both
give the same answers. With ``NUMBA_DISABLE_JIT=1`` nothing is ever compiled, with ``NUMBA_BOUNDSCHECK=1``
compiled code checks its indices.

Where no folder for compiled code can be written (a read-only installation without a home), or where others
could write to it, kernels are compiled anew in every process instead of failing; what is kept and is damaged
is compiled anew once (:mod:`ratingpriv.compute.cache`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, cast

import numpy as np

__all__ = ["Kernel", "always_compiled", "compiled", "kernel", "part", "routine", "switched"]

_SMALL = 50_000  # numbers in all arrays of a call that plain Python may work on
_SECONDS = 2.0  # that plain kernels may take in a process: about what numba's import and compiling cost
_SECONDS_BESIDE_NUMBA = 0.25  # the same where numba is loaded already

_STRICT: dict[str, Any] = {"fastmath": False, "error_model": "numpy"}
# A call that is not inlined pushes every field of every array: some hundred words.
_CALLED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

_building = threading.RLock()
_always = False
_spent = 0.0  # CPU seconds in plain kernels; a sum lost between two threads does not matter


class Kernel:
    """A loop over arrays in two forms: plain Python and compiled.

    Kernels that it calls are found among the globals of its module; each form calls the same form of those.

    Parameters
    ----------
    function : what numba compiles
    flags : of ``numba.njit``
    lean : whether to leave out the code that counts references: for kernels that allocate nothing
    plain : the plain form, where ``function`` itself would be too slow as plain Python
    intrinsic : "module:name" of what stands for ``function`` in compiled code
    """

    def __init__(
        self,
        function: Callable[..., Any],
        flags: dict[str, Any],
        *,
        lean: bool = False,
        plain: Callable[..., Any] | None = None,
        intrinsic: str | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function, self._flags, self._lean, self._intrinsic = function, flags, lean, intrinsic
        self._twin = plain or function
        self._plain: Callable[..., Any] | None = None
        self._compiled: Any = None
        self._called: Any = None  # the compiled form, once this kernel is better called so

    def __call__(self, *arguments: Any) -> Any:
        """Call the form that is the cheaper one for these arguments."""
        if self._called is None:
            if _plain_will_do(arguments):
                return self.run_plain(*arguments)
            self._called = self.compiled_form()
        return self._called(*arguments)

    def run_plain(self, *arguments: Any) -> Any:
        """Call the plain form, which wraps around and divides by zero in silence, as compiled code does."""
        global _spent
        form = self._plain or self.plain_form()
        start = time.thread_time()
        try:
            with np.errstate(all="ignore"):
                return form(*arguments)
        finally:
            _spent += time.thread_time() - start

    def run_compiled(self, *arguments: Any) -> Any:
        """Call the compiled form."""
        return self.compiled_form()(*arguments)

    def plain_form(self) -> Callable[..., Any]:
        """Return the function with the plain forms of the kernels that it calls."""
        with _building:
            if self._plain is None:
                self._plain, names = _rebound(self._twin)
                for name, other in _kernels_of(self._twin).items():
                    names[name] = other.plain_form()
            return self._plain

    def compiled_form(self) -> Any:
        """Return numba's dispatcher, which compiles the function when it first meets arguments of some types.

        It is compiled with the compiled forms of the kernels that it calls.
        """
        with _building:
            if self._compiled is None:
                if self._intrinsic is not None:
                    module, name = self._intrinsic.split(":")
                    self._compiled = getattr(importlib.import_module(module), name)
                    return self._compiled
                function, names = _rebound(self._function)
                self._compiled = _jit(function, self._flags, self._lean)
                for name, other in _kernels_of(self._function).items():
                    names[name] = other.compiled_form()
            return self._compiled


def _rebound(function: Any) -> tuple[Any, dict[str, Any]]:
    """Return a copy of ``function`` and the globals it sees, its own to change."""
    names = dict(function.__globals__)
    code = function.__code__
    copy = FunctionType(code, names, function.__name__, function.__defaults__, function.__closure__)
    copy.__annotations__, copy.__doc__ = function.__annotations__, function.__doc__
    copy.__qualname__ = function.__qualname__
    return copy, names


def _kernels_of(function: Any) -> dict[str, Kernel]:
    """Find the kernels that ``function`` names."""
    names: set[str] = set()
    waiting: list[CodeType] = [function.__code__]
    while waiting:
        code = waiting.pop()
        names.update(code.co_names)
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    found = {name: function.__globals__.get(name) for name in names}
    return {name: value for name, value in found.items() if isinstance(value, Kernel)}


def _jit(function: Any, flags: dict[str, Any], lean: bool) -> Any:
    numba: Any = importlib.import_module("numba")
    if lean:  # without the code that counts references kernels compile in half the time
        options = importlib.import_module("numba.core.options").DefaultOptions
        flags = {**flags, **({"_nrt": False} if hasattr(options, "_nrt") else {})}
    dispatcher = numba.njit(nogil=True, **flags)(function)
    cache = importlib.import_module("ratingpriv.compute.cache")
    with contextlib.suppress(RuntimeError):  # numba: "cannot cache function ...: no locator available"
        dispatcher._cache = cache.KernelCache(function)
    _compile_once(dispatcher)
    return dispatcher


def _compile_once(dispatcher: Any) -> None:
    """Have kernels that call this one ask for types, not for literals such as a 0: each is compiled anew."""
    unliteral = importlib.import_module("numba.core.types").unliteral
    ask = getattr(dispatcher, "get_call_template", None)
    if ask is None:  # NUMBA_DISABLE_JIT: the function itself
        return

    def asked(arguments: Any, named: Any) -> Any:
        types = tuple(unliteral(argument) for argument in arguments)
        return ask(types, {name: unliteral(argument) for name, argument in named.items()})

    dispatcher.get_call_template = asked


def switched(variable: str) -> bool:
    """Return whether one of numba's environment variables is set to other than 0."""
    return os.environ.get(variable, "0") not in ("", "0")


def _plain_will_do(arguments: tuple[Any, ...]) -> bool:
    if switched("NUMBA_DISABLE_JIT"):
        return True
    if _always:
        return False
    seconds = _SECONDS_BESIDE_NUMBA if "numba" in sys.modules else _SECONDS
    return _spent < seconds and _size(arguments) <= _SMALL


def always_compiled() -> None:
    """Call the compiled form of every kernel from here on, however small the data: for measurements."""
    global _always
    _always = True


def _size(arguments: tuple[Any, ...]) -> int:
    """Count the numbers in the arrays among ``arguments`` and among their fields."""
    size = 0
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            size += argument.size
        elif isinstance(argument, tuple):
            size += _size(argument)
    return size


def compiled(
    *, plain: Callable[..., Any] | None = None, **flags: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that makes a function a kernel; ``flags`` go to ``numba.njit``.

    ``plain`` does the same, faster as plain Python.
    """
    return lambda function: Kernel(function, flags, plain=plain)


def kernel[F: Callable[..., Any]](function: F, *, plain: F | None = None) -> F:
    """Make ``function``, which allocates nothing, a kernel; ``plain`` does the same, faster as Python."""
    return cast("F", Kernel(function, {**_STRICT, "no_cfunc_wrapper": True}, lean=True, plain=plain))


def part[F: Callable[..., Any]](function: F) -> F:
    """Make ``function`` a part of kernels, which is inlined where they call it. It allocates nothing."""
    return cast("F", Kernel(function, {**_STRICT, **_CALLED, "forceinline": True}, lean=True))


def routine[F: Callable[..., Any]](function: F) -> F:
    """Make ``function`` a part of kernels that is called, not inlined: it is long, and called rarely.

    Each call pushes every field of every array, some hundred words; inlined everywhere, kernels took half a
    minute to compile.
    """
    return cast("F", Kernel(function, {**_STRICT, **_CALLED}, lean=True))
