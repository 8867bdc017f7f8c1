"""Argument checks with labels, in one place: ``epsilon: found -1, expected a number >= 0``."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection
from typing import cast

import numpy as np

from ratingpriv.errors import ParameterError

__all__ = ["choice", "generator", "non_negative_number", "whole_number"]


def whole_number(name: str, value: object, minimum: int) -> int:
    """Return ``value`` as int; it must be a whole number (not a bool) of at least ``minimum``."""
    expected = f"a whole number >= {minimum}"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(name, value, expected)
    if not math.isfinite(value) or value != math.floor(value) or value < minimum:
        raise ParameterError(name, value, expected)
    return cast("int", math.floor(value))


def non_negative_number(name: str, value: object) -> float:
    """Return ``value`` as float; it must be a finite number >= 0 (not a bool)."""
    expected = "a finite number >= 0"
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(name, value, expected)
    number = float(value)
    if not math.isfinite(number) or number < 0:
        raise ParameterError(name, value, expected)
    return number + 0.0  # -0.0 becomes 0.0


def choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return ``value``; it must be one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(name, value, "one of " + ", ".join(choices))
    return value


def generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    """Return a NumPy generator for ``rng``: a seed, a Generator, or None for an unpredictable one."""
    if rng is not None and not isinstance(rng, np.random.Generator):
        rng = whole_number("rng", rng, 0)
    return np.random.default_rng(rng)
