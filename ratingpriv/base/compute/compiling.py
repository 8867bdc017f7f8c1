"""Kernels: loops over arrays, plain Python on small data, compiled by numba on large;
and the flags.

A kernel is written once, in the Python that numba compiles. Its decorator makes it a
:class:`Kernel`, which decides at each call, by the size of the data alone: the same input takes the
same path. Where the arrays are small, the loop runs as it stands, and numba, whose import alone
takes half a second, is not even loaded. Otherwise it is compiled: the code releases the GIL, is
kept on disk for later processes and never uses ``fastmath``. From the first large arrays on every
kernel is, since large tables come in many small parts, until the computation ends
(:func:`one_computation`): what this process did before counts for nothing. Both forms give the same
answers. With ``NUMBA_DISABLE_JIT=1`` nothing is ever compiled, with ``NUMBA_BOUNDSCHECK=1``
compiled code checks its indices.

Where no folder for compiled code can be written (a read-only installation without a home), or where
others could write to it, kernels are compiled anew in every process instead of failing; what is
kept and is damaged is compiled anew once (:mod:`ratingpriv.base.compute.cache`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, Literal, cast

import numpy as np

from ratingpriv.base.progress import Progress

# numbers in all arrays of a call that plain Python goes through sooner than numba is loaded
_PASS = 50_000
SEARCH = 12_000
"""The same for a kernel that goes through its arrays again and again; some come along and are not
read.
"""

_STRICT: dict[str, Any] = {"fastmath": False, "error_model": "numpy"}
# What allocates nothing needs no code that counts references, and compiles in half the time.
_ENTRY = {**_STRICT, "no_cfunc_wrapper": True, "_nrt": False}
# What kernels call needs no way in from Python.
_CALLED = {"no_cpython_wrapper": True}

_TRIED = 0, 68  # the newest numba that parts are compiled with; a newer one compiles in its own way

_building = threading.RLock()
_loaded = 0  # kernels
_listener: tuple[Progress, int] | None = None  # who is told of loading, and in which thread
_large = False  # whether large arrays were met in this computation
_computing = False
_pinned: Literal["plain", "compiled"] | None = None
_spent = 0.0  # work that NumPy did in this computation, instead of kernels


class Kernel:
    """A loop over arrays in two forms: plain Python and compiled.

    Kernels that it calls are found among the globals of its module; each form calls the same form
    of those. Plain is what works on ``small`` numbers in all arrays of a call. ``plain`` is the
    plain form where ``function`` itself would be too slow so, ``intrinsic`` "module:name" of what
    stands for it in compiled code.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        flags: dict[str, Any],
        *,
        small: int = _PASS,
        plain: Callable[..., Any] | None = None,
        intrinsic: str | None = None,
    ) -> None:
        functools.update_wrapper(self, function)
        self._function, self._flags, self._intrinsic = function, flags, intrinsic
        self._small = small
        self._twin = plain or function
        self._plain: Callable[..., Any] | None = None
        self._compiled: dict[bool, Any] = {}
        self._ready: Any = None  # the compiled form, once it and all that it calls are bound

    def __call__(self, *arguments: Any) -> Any:
        """Call the form that is the cheaper one for these arguments."""
        global _large
        if switched("NUMBA_DISABLE_JIT"):
            plain = True
        elif _pinned is not None or _large:
            plain = _pinned == "plain"
        else:
            size = _size(arguments)
            _large, plain = size > _PASS, size <= self._small
        return self.run_plain(*arguments) if plain else self.run_compiled(*arguments)

    def at_length(self, *arguments: Any) -> Any:
        """Call the form that is the cheaper one for long work, however small the arrays are."""
        if switched("NUMBA_DISABLE_JIT") or _pinned == "plain":
            return self.run_plain(*arguments)
        return self.run_compiled(*arguments)

    def run_plain(self, *arguments: Any) -> Any:
        """Call the plain form, which wraps around and divides by zero in silence,
        as compiled code does.
        """
        form = self._plain or self.plain_form()
        with np.errstate(all="ignore"):
            return form(*arguments)

    def run_compiled(self, *arguments: Any) -> Any:
        """Call the compiled form."""
        if self._ready is None:
            with _told():
                ready = self.compiled_form()
                answer = ready(*arguments)
            self._ready = ready
            return answer
        return self._ready(*arguments)

    def plain_form(self) -> Callable[..., Any]:
        """Return the function with the plain forms of the kernels that it calls."""
        with _building:
            if self._plain is None:
                self._plain, names = _rebound(self._twin)
                for name, other in _kernels_of(self._twin).items():
                    names[name] = other.plain_form()
            return self._plain

    def compiled_form(self, *, called: bool = False) -> Any:
        """Return numba's dispatcher, made with the compiled forms of
        the kernels that the function calls.

        It compiles when it first meets arguments of some types. ``called``: one that only kernels
        call.
        """
        with _building:
            if called not in self._compiled:
                if self._intrinsic is not None:
                    module, name = self._intrinsic.split(":")
                    self._compiled[called] = getattr(importlib.import_module(module), name)
                    return self._compiled[called]
                function, names = _rebound(self._function)
                numba: Any = importlib.import_module("numba")
                flags = self._flags | (_CALLED if called else {})
                if numba.version_info[:2] <= _TRIED:
                    parts = importlib.import_module("ratingpriv.base.compute.parts")
                    flags["pipeline_class"] = parts.PartCompiler if called else parts.KernelCompiler
                self._compiled[called] = dispatcher = numba.njit(nogil=True, **flags)(function)
                cache = importlib.import_module("ratingpriv.base.compute.cache")
                # "cannot cache function ...: no locator available"
                with contextlib.suppress(RuntimeError):
                    if not called:
                        dispatcher._cache = cache.KernelCache(function)
                # else NUMBA_DISABLE_JIT: the function itself
                if hasattr(dispatcher, "get_call_template"):
                    dispatcher.get_call_template = _of_types(dispatcher.get_call_template)
                for name, other in _kernels_of(self._function).items():
                    names[name] = other.compiled_form(called=True)
            return self._compiled[called]


@contextlib.contextmanager
def telling(progress: Progress | None) -> Iterator[None]:
    """Tell of the kernels that are loaded or compiled within, in this thread:
    it takes seconds at first.
    """
    global _listener
    outside = _listener
    _listener = outside if progress is None else (progress, threading.get_ident())
    try:
        yield
    finally:
        _listener = outside


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell the listener that one more kernel is being loaded, and that it is."""
    global _loaded
    progress, thread = _listener or (None, 0)
    if progress is None or thread != threading.get_ident():
        yield
        return
    progress("loading compiled code", _loaded, _loaded + 1)
    yield
    _loaded += 1
    progress("loading compiled code", _loaded, _loaded)


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


def _of_types(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Have kernels that call this one ask for types, not for literals such as a 0:
    each is compiled anew.
    """
    unliteral = importlib.import_module("numba.core.types").unliteral

    def asked(arguments: Any, named: Any) -> Any:
        types = tuple(unliteral(argument) for argument in arguments)
        return ask(types, {name: unliteral(argument) for name, argument in named.items()})

    return asked


def suited[F: Callable[..., Any]](kernel: F, *, long: bool) -> F:
    """Return what calls a kernel in the form for ``long`` work, however small its arrays are;
    else the kernel, which goes by these.
    """
    return cast("F", cast("Kernel", kernel).at_length) if long else kernel


def switched(variable: str) -> bool:
    """Return whether one of numba's environment variables is set to other than 0."""
    return os.environ.get(variable, "0") not in ("", "0")


def short(work: float, most: float) -> bool:
    """Whether NumPy does ``work`` instead of a kernel: with what it did so in this computation,
    it is at most ``most``.
    """
    global _spent
    if _pinned is not None or _spent + work > most:
        return False
    _spent += work
    return True


@contextlib.contextmanager
def pinned(form: Literal["plain", "compiled"] | None) -> Iterator[None]:
    """Call this form of every kernel within, whatever the data.

    None: by the size of the data met within.

    For what repeats one analysis many times (``"compiled"``), measurements and tests; of one
    thread.
    """
    global _large, _pinned, _spent
    outside = _large, _pinned, _spent
    _large, _pinned, _spent = False, form, 0.0
    try:
        yield
    finally:
        _large, _pinned, _spent = outside


@contextlib.contextmanager
def one_computation() -> Iterator[None]:
    """Choose the form of kernels within by the data met within.

    A computation within another is a part of it.
    """
    global _large, _computing, _spent
    if _computing:
        yield
        return
    outside, _computing, _large, _spent = (_large, _spent), True, False, 0.0
    try:
        yield
    finally:
        (_large, _spent), _computing = outside, False


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
    *, plain: Callable[..., Any] | None = None, small: int = _PASS, **flags: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that makes a function a :class:`Kernel`;
    ``flags`` go to ``numba.njit``.
    """
    flags["no_cfunc_wrapper"] = True  # nothing but Python calls it
    return lambda function: Kernel(function, flags, plain=plain, small=small)


def kernel[F: Callable[..., Any]](function: F, *, plain: F | None = None) -> F:
    """Make ``function``, which allocates nothing, a kernel; ``plain`` does the same,
    faster as Python.
    """
    return cast("F", Kernel(function, _ENTRY, plain=plain))


def search_kernel[F: Callable[..., Any]](function: F) -> F:
    """Make ``function`` a kernel, one that goes through its arrays again and again."""
    return cast("F", Kernel(function, _ENTRY, small=SEARCH))


def part[F: Callable[..., Any]](function: F, *, plain: F | None = None) -> F:
    """Make ``function`` a part of kernels, which is inlined where they call it.

    It allocates nothing. ``plain`` does the same, faster as Python.
    """
    return cast("F", Kernel(function, {**_ENTRY, "forceinline": True}, plain=plain))


def routine[F: Callable[..., Any]](function: F) -> F:
    """Make ``function`` a part of kernels that is called, not inlined: it is long,
    and called rarely.

    Each call pushes every field of every array, some hundred words; inlined everywhere, kernels
    took half a minute to compile.
    """
    return cast("F", Kernel(function, _ENTRY))
