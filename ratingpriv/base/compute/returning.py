"""Giving memory that is free already back to the system: allocators keep what large reads have used."""

from __future__ import annotations

import ctypes
import sys


def return_memory() -> None:
    """Give what nobody uses back, where Arrow's pool and the C library know how; else nothing happens."""
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc's; other C libraries have none
        if trim is not None:
            trim(0)
