"""Compiled kernels kept on disk for later processes; importing it loads numba.

A kept kernel is a pickle with machine code, and both are code that runs: so it is read only from a folder
and a file that belong to this user (or to root) and that nobody else can write. It is used only if its bytes
have the hash they were written with, and only for what it was made of: the kernel, the types of its
arguments, the sources of its module and of all that this imports, Python, numba, NumPy and the processor.
Anything else is as if nothing were kept: the kernel is compiled anew, and takes its place. A cache that
cannot be read or written costs time, and ends no command.

One file a kernel and its types, named by a hash of both, and replaced atomically: processes that compile at
once need no index, and overwrite each other's file with an equal one. They are kept in the folder
``kernels-UID``, made for its owner, of ``NUMBA_CACHE_DIR``, one for all checkouts of one machine; where that
is not set, of the place that numba finds (``__pycache__`` beside the source, or the user's cache).
"""

from __future__ import annotations

import functools
import hashlib
import os
import pickle
import platform
import re
import stat
import sys
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import __version__ as llvmlite_version  # type: ignore[import-untyped]
from numba.core import config, serialize
from numba.core.caching import FunctionCache

from ratingpriv.base.files import replacing

_SUFFIX = ".kernel"
# imported, or named as intrinsics are: "module:name"
_IMPORT = re.compile(r"(?:^(?:from|import) |\"(?=[\w.]+:))(ratingpriv[\w.]*)", re.MULTILINE)


class KernelCache(FunctionCache):
    """What a dispatcher of numba asks for a kept kernel; RuntimeError: there is no place to keep any."""

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        place = config.CACHE_DIR or self._impl.locator.get_cache_path()  # type: ignore[attr-defined]
        self.folder = Path(place, _folder_name())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the kept kernel for these types, None where there is none that may be used."""
        target_context.refresh()
        try:
            key = self._index_key(sig, target_context.codegen())  # type: ignore[no-untyped-call]
            path = self._path(sig, key)
            if not self._enabled or refusal(self.folder) is not None:
                return None
            content = _read(path)
            if content is None:
                return None
            made_of, found, kernel = pickle.loads(content)  # noqa: S301 -- only this user can have written it
            if (made_of, pickle.loads(found)) != (self._made_of(), key):  # noqa: S301
                return None
            return self._impl.rebuild(target_context, pickle.loads(kernel))  # noqa: S301
        except MemoryError:
            raise
        except Exception:  # a class that moved, an odd numba, a disk: whatever it is, compiling helps
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled kernel, if that can be done."""
        try:
            if not self._enabled or not self._impl.check_cachable(data):
                return
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700, exist_ok=True)
            if refusal(self.folder) is not None:
                return
            key = self._index_key(sig, data.codegen)  # type: ignore[no-untyped-call]
            kernel = self._impl.reduce(data)
            content = pickle.dumps((self._made_of(), _dumped(key), _dumped(kernel)))
            with replacing(self._path(sig, key), force=True) as temporary:
                temporary.chmod(0o600)
                temporary.write_bytes(hashlib.sha256(content).digest() + content)
        except MemoryError:
            raise
        except Exception:  # a full disk, say: the kernel is compiled, and serves this process
            return

    def _path(self, sig: Any, key: Any) -> Path:
        made_for = repr((self._py_func.__module__, _said(sig), key[1:]))
        types = hashlib.sha256(made_for.encode()).hexdigest()[:24]
        return self.folder / f"{self._impl.filename_base}.{types}{_SUFFIX}"

    def _made_of(self) -> tuple[str, ...]:
        function = self._py_func
        versions = (platform.python_version(), numba.__version__, llvmlite_version, np.__version__)
        sources = _sources(function.__code__.co_filename)
        return (function.__module__, function.__qualname__, *versions, sources)


def cache_folder(source: str | Path) -> Path:
    """Return where the kernels of a source file are kept; RuntimeError as above."""
    code = _folder_name.__code__
    return KernelCache(FunctionType(code.replace(co_filename=str(source)), {"__name__": "any"})).folder


def refusal(folder: Path) -> str | None:
    """Say why a folder is not used: others can write to it; None if it is safe, or not there."""
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return None
    except OSError as error:
        return error.strerror or "it cannot be looked at"
    if not stat.S_ISDIR(status.st_mode):
        return "it is no folder"
    return _others(status)


def kept_files(folder: Path) -> list[Path]:
    """Return the kernels that are kept in a folder."""
    return sorted(folder.glob(f"*{_SUFFIX}"))


def damaged_files(folder: Path) -> list[Path]:
    """Return the kept kernels that are damaged or that others can write: they are compiled anew."""
    return [path for path in kept_files(folder) if _read(path) is None]


def _dumped(content: Any) -> bytes:
    return bytes(serialize.dumps(content))  # type: ignore[no-untyped-call]


def _folder_name() -> str:
    return f"kernels-{os.geteuid()}" if hasattr(os, "geteuid") else "kernels"


def _others(status: os.stat_result) -> str | None:
    if not hasattr(os, "geteuid"):  # Windows keeps no modes of this kind
        return None
    if status.st_uid not in (os.geteuid(), 0):
        return "it belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return "others can write to it"
    return None


def _read(path: Path) -> bytes | None:
    """Read a kept kernel; None if it is not there, damaged, or not surely this user's own."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
        with open(handle, "rb") as file:  # noqa: PTH123
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or _others(status) is not None:
                return None
            sealed = file.read()
    except OSError:
        return None
    content = sealed[32:]
    return content if hashlib.sha256(content).digest() == sealed[:32] else None


def _said(types: Any) -> Any:
    """Describe types of arguments so that no two kinds look alike, and equal ones do in every process."""
    if isinstance(types, tuple):
        return [_said(one) for one in types]
    inner = getattr(types, "types", None)
    kind = getattr(types, "instance_class", type(types))
    fields = getattr(types, "fields", None)
    return [kind.__module__, kind.__qualname__, fields, str(types) if inner is None else _said(tuple(inner))]


@functools.cache
def _sources(source: str) -> str:
    """Hash a source and all of ratingpriv that it imports, at any remove: constants are compiled in."""
    digest, seen, waiting = hashlib.sha256(), set[str](), [source]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        text = Path(path).read_bytes()
        digest.update(hashlib.sha256(text).digest())
        for name in _IMPORT.findall(text.decode("utf-8", errors="replace")):
            file = getattr(sys.modules.get(name), "__file__", None)
            if file is not None:
                waiting.append(file)
    return digest.hexdigest()
