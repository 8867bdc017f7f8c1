"""How numba compiles the parts of kernels; importing it loads numba.

numba optimises every function and makes machine code of it, and does both again for all that call
it. What a kernel calls is called nowhere else in this form, so both can wait for the kernel: the
first run of a command takes a third less.
"""

from __future__ import annotations

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler


class _Nowhere:
    """What is asked to put a function's environment where its machine code looks for it."""

    def set_env(self, name: str, environment: Any) -> None:
        """Do nothing: a part has no machine code of its own."""


class _Linked(JITCodeLibrary):
    """The code of a part and of all parts that it calls, to be linked into that of kernels."""

    codegen = _Nowhere()

    def _optimize_final_module(self) -> None:
        """Leave it to the kernels."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()  # type: ignore[no-untyped-call]
        self._finalized = True


class PartCompiler(Compiler):
    """numba's compiler, of a function that only kernels call."""

    def compile_extra(self, function: Any) -> Any:
        """Compile it, as far as kernels need it."""
        code: Any = _Linked
        self.state.library = code(self.state.targetctx.codegen(), function.__qualname__)
        return super().compile_extra(function)  # type: ignore[no-untyped-call]


class KernelCompiler(Compiler):
    """numba's compiler, of a function that calls such parts."""

    def compile_extra(self, function: Any) -> Any:
        """Compile it, and put the environments of its parts where its machine code looks for them,
        as numba does with what is kept.
        """
        result: Any = super().compile_extra(function)  # type: ignore[no-untyped-call]
        for environment in result._find_referenced_environments():
            result.codegen.set_env(environment.env_name, environment)
        return result
