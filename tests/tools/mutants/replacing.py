"""Put a mutant in the place of its module: in a process that has imported it, or before it is imported."""

from __future__ import annotations

import gc
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Iterator
from inspect import CO_NEWLOCALS, CO_OPTIMIZED
from types import CodeType, FunctionType, ModuleType

from mutants.drawing import Mutant, path_of

__all__ = ["is_in_functions", "put_before_import", "put_into_functions"]


def is_in_functions(mutant: Mutant) -> bool:
    """Whether only bodies of functions differ, not what runs when the module is imported."""
    before, after = _codes(_compiled(mutant.module, None)), _codes(_compiled(mutant.module, mutant.code))
    return before.keys() == after.keys() and all(
        _is_function(code) or _own(code) == _own(after[place]) for place, code in before.items()
    )


def put_into_functions(mutant: Mutant) -> None:
    """Give every live function of the module its changed code, wherever it is known."""
    path = str(path_of(mutant.module))
    codes = _codes(_compiled(mutant.module, mutant.code))
    for function in [one for one in gc.get_objects() if isinstance(one, FunctionType)]:
        code = function.__code__
        if code.co_filename == path:
            function.__code__ = codes.get((code.co_qualname, code.co_firstlineno), code)


def put_before_import(mutant: Mutant) -> None:
    """Let whoever imports the module get the mutant."""
    sys.meta_path.insert(0, _Changed(mutant))


def _compiled(module: str, code: str | None) -> CodeType:
    path = path_of(module)
    return compile(code or path.read_text(encoding="utf-8"), str(path), "exec", dont_inherit=True)


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _nested(constant)


def _codes(code: CodeType) -> dict[tuple[str, int], CodeType]:
    return {(one.co_qualname, one.co_firstlineno): one for one in _nested(code)}


def _is_function(code: CodeType) -> bool:
    return code.co_flags & (CO_OPTIMIZED | CO_NEWLOCALS) == CO_OPTIMIZED | CO_NEWLOCALS


def _own(code: CodeType) -> tuple[object, ...]:
    """Return what the code does itself, without the functions it defines."""
    constants = [(type(one), one) for one in code.co_consts if not isinstance(one, CodeType)]
    return code.co_code, code.co_names, constants


class _Changed(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds one module elsewhere: in a mutant."""

    def __init__(self, mutant: Mutant) -> None:
        self._name, self._mutant = f"ratingpriv.{mutant.module}", mutant

    def find_spec(
        self, fullname: str, path: object, target: object = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module by its name."""
        if fullname != self._name:
            return None
        origin = str(path_of(self._mutant.module))
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=origin)
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed code as the module."""
        exec(_compiled(self._mutant.module, self._mutant.code), module.__dict__)
