"""Where compiled kernels are kept: can it be written, by others too, and is what is there sound."""

from __future__ import annotations

import importlib.util
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ratingpriv.base.compute.compiling import switched
from ratingpriv.report.doctor.check import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = "compiler's cache"
_PACKAGES = ("ratingpriv", "ratingpriv_loaders")


def kernel_cache_check() -> Check:
    """Look at every folder in which kernels are kept, or would be."""
    if switched("NUMBA_DISABLE_JIT"):
        return Check(_NAME, True, "not used (NUMBA_DISABLE_JIT)")
    try:
        return _check()
    except Exception as error:  # whatever goes wrong is the finding
        return Check(_NAME, False, f"{type(error).__name__}: {error}")


def _check() -> Check:
    from ratingpriv.base.compute.cache import cache_folder, damaged_files, kept_files, refusal

    folders = list(dict.fromkeys(cache_folder(source) for source in _sources()))
    for folder in folders:
        why = refusal(folder)
        if why is not None:
            remedy = "kernels are compiled anew in every process; remove the folder"
            return Check(_NAME, False, f"{folder} is not used, as {why}: {remedy}")
    kept = sum(len(kept_files(folder)) for folder in folders)
    damaged = [path for folder in folders for path in damaged_files(folder)]
    place = _common(folders)
    with tempfile.TemporaryFile(dir=_there(folders[0])):
        seen = f"{place} can be written to, and holds {kept} compiled kernels"
    if damaged:
        seen += f"; {len(damaged)} of them are damaged or not yours alone, and are compiled anew when needed"
    return Check(_NAME, True, seen)


def _sources() -> Iterator[Path]:
    """Find a module with kernels in each folder that has some."""
    for name in _PACKAGES:
        found = importlib.util.find_spec(name)
        for place in found.submodule_search_locations or () if found is not None else ():
            for folder, _, files in os.walk(place):
                kernels = sorted(one for one in files if one.startswith("_") and not one.startswith("__"))
                if kernels:
                    yield Path(folder, kernels[0])


def _there(folder: Path) -> Path:
    """Return the folder, or what it would be made in."""
    return folder if folder.exists() else _there(folder.parent)


def _common(folders: list[Path]) -> Path:
    return Path(os.path.commonpath(folders))
