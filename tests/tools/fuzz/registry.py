"""The kinds of input that modules of this package declare."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Callable
from typing import NamedTuple

import fuzz

__all__ = ["Kind", "dice", "kinds"]


class Kind(NamedTuple):
    """One kind of input: ``attempt(rng)`` tries one; ``share`` of N are tried."""

    name: str
    attempt: Callable[[random.Random], str]
    share: float


def kinds() -> dict[str, Kind]:
    """Return the kinds by name."""
    found: dict[str, Kind] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(fuzz.__path__)):
        if module.startswith("_"):
            continue
        loaded = importlib.import_module(f"fuzz.{module}")
        declared = dict(getattr(loaded, "KINDS", {}))
        if hasattr(loaded, "KIND"):
            declared[loaded.KIND] = loaded.attempt
        for name, attempt in declared.items():
            share = getattr(loaded, "SHARES", {}).get(name, getattr(loaded, "SHARE", 1.0))
            found[name] = Kind(name, attempt, float(share))
    return found


def dice(kind: str, seed: int, number: int) -> random.Random:
    """Return the randomness of one attempt."""
    return random.Random(f"{kind}:{seed}:{number}")
