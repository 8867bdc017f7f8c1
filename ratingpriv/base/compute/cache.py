"""Compiled kernels kept on disk for later processes; importing it loads numba.

All are in one folder, ``kernels-UID``, of ``NUMBA_CACHE_DIR`` (one for all checkouts of one
machine); where that is not set, of the place that numba finds (``__pycache__`` beside this source,
or the user's cache). A kept kernel is code that runs, so a folder that others can write to is not
used.

One file a kernel and the types of its arguments, replaced atomically: processes that compile at
once need no index. A file begins with the SHA-256 of the rest and of all that it was made from:
versions, the processor, the sources of the kernel's module and of all that this imports, as
constants are compiled in. What is stale or damaged is compiled anew, and takes its place. A cache
that cannot be read or written costs time, and ends no command.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import pickle
import platform
import re
import stat
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import __version__ as llvmlite_version  # type: ignore[import-untyped]
from numba.core import config, serialize
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from ratingpriv.base.files import replacing

_VERSIONS = (platform.python_version(), numba.__version__, llvmlite_version, np.__version__)
# imported, or named as intrinsics are: "module:name"
_IMPORT = re.compile(r"(?:^ *(?:from|import) |\"(?=[\w.]+:))(ratingpriv[\w.]*)", re.MULTILINE)


class KernelCache(FunctionCache):
    """What a dispatcher of numba asks for a kept kernel.

    RuntimeError: there is no place to keep any.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kept kernel for these types, None where there is none that may be used."""
        target_context.refresh()
        try:
            made_from, path = self._made_from(sig, target_context.codegen())
            if refusal(path.parent) is not None:
                return None
            sealed = path.read_bytes()
            if sealed[:32] != hashlib.sha256(made_from + sealed[32:]).digest():
                return None
            content = pickle.loads(sealed[32:])  # noqa: S301 -- our own
            return self._impl.rebuild(target_context, content)
        except MemoryError:
            raise
        except Exception:  # none is kept, an odd numba, a disk: whatever it is, compiling helps
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel, if that can be done."""
        try:
            made_from, path = self._made_from(sig, data.codegen)
            path.parent.parent.mkdir(parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            if refusal(path.parent) is not None or not self._impl.check_cachable(data):
                return
            reduced = self._impl.reduce(data)
            content = bytes(serialize.dumps(reduced))  # type: ignore[no-untyped-call]
            with replacing(path, force=True, private=True) as temporary:
                temporary.write_bytes(hashlib.sha256(made_from + content).digest() + content)
        except MemoryError:
            raise
        except Exception:  # a full disk, say: the kernel is compiled, and serves this process
            return

    def _made_from(self, sig: Any, codegen: Any) -> tuple[bytes, Path]:
        """Return what a kernel for some types is made from, and where it is kept."""
        function = self._py_func
        types, *others = self._index_key(sig, codegen)  # type: ignore[no-untyped-call]
        named = f"{function.__module__} {types} {others[0]}"
        sources = sources_of(function.__code__.co_filename)
        name = (
            f"{self._impl.filename_base}.{hashlib.sha256(named.encode()).hexdigest()[:24]}.kernel"
        )
        return repr((named, others, _VERSIONS, sources)).encode(), cache_folder() / name


def cache_folder() -> Path:
    """Return where kernels are kept; RuntimeError as above."""
    place = config.CACHE_DIR  # type: ignore[attr-defined]
    if not place:
        implementation = CompileResultCacheImpl(cache_folder)  # type: ignore[no-untyped-call]
        place = implementation.locator.get_cache_path()
    return Path(place, f"kernels-{os.geteuid()}" if hasattr(os, "geteuid") else "kernels")


def refusal(folder: Path) -> str | None:
    """Say why a folder is not used: others can write to it; None if it is safe, or not there."""
    # Windows keeps no modes of this kind
    if not hasattr(os, "geteuid") or not os.path.lexists(folder):
        return None
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    if status.st_uid not in (os.geteuid(), 0):
        return "it belongs to another user"
    return "others can write to it" if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else None


@functools.cache
def sources_of(source: str) -> str:
    """Hash a source and all of ratingpriv that it imports, at any remove."""
    digest, seen, waiting = hashlib.sha256(), set[Path](), [Path(source)]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        text = path.read_bytes()
        digest.update(hashlib.sha256(text).digest())
        for name in _IMPORT.findall(text.decode("utf-8", errors="replace")):
            waiting += _files_of(name)
    return digest.hexdigest()


def _files_of(module: str) -> list[Path]:
    """Return the source of a module, loaded or not:
    what was loaded first must not change a kernel's name.
    """
    top, *others = module.split(".")
    package = importlib.util.find_spec(top)
    if package is None or package.origin is None:
        return []
    path = Path(package.origin).parent.joinpath(*others)
    return [one for one in (path.with_suffix(".py"), path / "__init__.py") if one.is_file()]
