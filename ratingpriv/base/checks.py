"""Argument checks with labels, in one place: ``epsilon: found -1, expected a number >= 0``."""

from __future__ import annotations

import functools
import math
import numbers
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ratingpriv.base.errors import ParameterError, meant
from ratingpriv.base.numbers import LARGEST

type RandomState = int | np.random.Generator | np.random.RandomState
"""What ``random_state`` may be, scikit-learn's name for ``rng``."""

LEAST_SD = 1e-100
"""The smallest SD that can be asked for, beside 0; its inverse is the largest."""

_MOST = 1 << 63  # whole numbers are int64 inside
_MOST_OF_SEED = 10**4000  # results print it, and Python does not print much more


def whole_number(name: str, value: object, minimum: int) -> int:
    """Return ``value`` as int; it must be a whole number (not a bool)
    of at least ``minimum``, below 2**63.

    A float may be one up to 2**53.
    """
    expected = f"a whole number >= {minimum}"
    number = _whole(value)
    if number is None or number < minimum:
        raise ParameterError(name, value, expected)
    if number >= _MOST:
        raise ParameterError(name, value, f"{expected} and below 2**63")
    return number


def no_quasi(columns: Sequence[Any], what: str, remedy: str) -> None:
    """Refuse quasi-identifiers where ``what`` cannot take them into account:
    it would promise too much.
    """
    if columns:
        names = ", ".join(str(column.name) for column in columns)
        raise ParameterError(
            "quasi", names, f"no quasi-identifiers: {what} knows ratings only", remedy
        )


def non_negative_number(name: str, value: object) -> float:
    """Return ``value`` as float; it must be a finite number >= 0 (not a bool) that float64 keeps.

    float32 and float16 count as the shortest decimal that prints the same, as ratings do; ints
    beyond 2**53 are refused.
    """
    expected = "a finite number >= 0"
    number, whole = _number(value), _whole(value)
    if number is None and whole is not None and whole > LARGEST:
        raise ParameterError(name, value, f"{expected} that float64 holds as it is", "round it")
    if number is None or number < 0:
        raise ParameterError(name, value, expected)
    return number


def share_limit(name: str, value: object, *, zero: bool = False) -> float:
    """Return a limit on a share of the people: below 1, which keeps everything;
    above 0 unless ``zero``.
    """
    share = non_negative_number(name, value)
    if share >= 1 or (share == 0 and not zero):
        expected = "a share from 0 to below 1" if zero else "a share above 0 and below 1, as 0.09"
        raise ParameterError(name, value, expected)
    return share


def sd_bound(name: str, value: object) -> float:
    """Return ``value``, a :func:`non_negative_number` whose square float64 holds too: 0,
    or at least 1e-100.

    SDs are compared as squares: one of 1e-200 would ask for nothing.
    """
    number = non_negative_number(name, value)
    if 0 < number < LEAST_SD or number > 1 / LEAST_SD:
        raise ParameterError(name, value, f"0, or a number from {LEAST_SD:g} to {1 / LEAST_SD:g}")
    return number


def number_pair(name: str, value: object) -> tuple[float, float]:
    """Return ``value`` as (minimum, maximum).

    A sequence of two numbers that float64 keeps, ascending.
    """
    expected = "a pair of numbers (MIN, MAX), finite and up to 2**53 in magnitude"
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) != 2:
        raise ParameterError(name, value, expected)
    low, high = map(_number, value)
    if low is None or high is None or max(abs(low), abs(high)) > LARGEST:
        raise ParameterError(name, tuple(value), expected)
    if not low < high:
        raise ParameterError(name, value, "MIN:MAX with MIN below MAX")
    return low, high


def sensitive_scales(
    value: object, sensitive: Collection[str]
) -> dict[str, tuple[float, float] | None]:
    """Return the scales of sensitive issues, all in ``sensitive``, by name:
    a :func:`number_pair` or None.
    """
    scales = mapping("sensitive_scale", value, "a pair (MIN, MAX) by name, such as {'pay': (1, 7)}")
    for name in scales:
        if name not in sensitive:
            remedy = "name it with `sensitive` as well"
            raise ParameterError("sensitive_scale", name, "the name of a sensitive item", remedy)
    return {
        name: None if scale is None else number_pair(f"sensitive_scale of {name}", scale)
        for name, scale in scales.items()
    }


def _number(value: object) -> float | None:
    """Return the number that ``value`` is, if float64 keeps it."""
    if isinstance(value, np.float32 | np.float16):
        value = float(str(value))
    elif (
        isinstance(value, numbers.Integral)
        and not isinstance(value, bool)
        and abs(int(value)) <= LARGEST
    ):
        value = float(int(value))
    # never -0.0
    return float(value) + 0.0 if isinstance(value, float) and math.isfinite(value) else None


def _whole(value: object) -> int | None:
    """Return the whole number that ``value`` is, if it is one."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return int(value)
    number = _number(value)
    return (
        int(number)
        if number is not None and number.is_integer() and abs(number) <= LARGEST
        else None
    )


def choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return ``value``; it must be one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(
            name, value, "one of " + ", ".join(choices), meant(str(value), choices)
        )
    return value


def flag(name: str, value: object) -> bool:
    """Return ``value`` as bool; it must be True or False, Python's or numpy's."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(name, value, "True or False")
    return bool(value)


def function(name: str, value: object) -> None:
    """Refuse ``value`` unless it can be called."""
    if not callable(value):
        raise ParameterError(name, value, "a function")


def several(value: object) -> list[Any] | None:
    """Return what a list, an array or anything like it holds.

    None for one thing, a text or a mapping too.
    """
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return None
    return None if getattr(value, "ndim", 1) == 0 else list(value)


def text(name: str, value: object) -> str:
    """Return ``value``; it must be a text."""
    if not isinstance(value, str):
        raise ParameterError(name, value, "a text")
    return value


def texts(
    name: str, value: object, expected: str = "a text, or a list of texts"
) -> tuple[str, ...]:
    """Return one text or several as a tuple; the keys of a mapping are no list of texts."""
    found = [value] if isinstance(value, str) else several(value)
    if found is None or not all(isinstance(one, str) for one in found):
        raise ParameterError(name, value, expected)
    return tuple(found)


def instance(name: str, value: object, kind: type, expected: str) -> None:
    """Refuse ``value`` unless it is of ``kind``, which is called ``expected``.

    Only its type is told.
    """
    if not isinstance(value, kind):
        raise ParameterError(name, f"of type {type(value).__name__}", expected)


def mapping(name: str, value: object, expected: str) -> Mapping[Any, Any]:
    """Return ``value``; it must be a mapping, such as a dict."""
    if not isinstance(value, Mapping):
        raise ParameterError(name, value, expected)
    return value


def path(name: str, value: object) -> Path:
    """Return ``value`` as Path; it must be a text or a path of Python's that is a text."""
    found = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(found, str):
        raise ParameterError(name, value, "the path of a file, as text or Path")
    return Path(found)


def generator(rng: int | np.random.Generator | None) -> np.random.Generator:
    """Return a NumPy generator for ``rng``: a seed, a Generator,
    or None for an unpredictable one.
    """
    if rng is not None and not isinstance(rng, np.random.Generator):
        rng = seed(rng)
    return np.random.default_rng(rng)


def seed_from(rng: int | np.random.Generator | None) -> int:
    """Return the seed that a result tells: the one given, or one drawn (None: by chance)."""
    if rng is None or isinstance(rng, np.random.Generator):
        return int(generator(rng).integers(1 << 63))
    return seed(rng)


def takes_random_state[**P, R](compute: Callable[P, R]) -> Callable[P, R]:
    """Return ``compute(..., rng=...)`` such that ``random_state`` may be given instead of ``rng``.

    An int is that seed, and a Generator that generator. With numbers of a RandomState a Generator
    is seeded.
    """

    @functools.wraps(compute)
    def computed(*args: P.args, **kwargs: P.kwargs) -> R:
        given = kwargs.pop("random_state", None)
        if given is not None:
            if "rng" in kwargs:
                raise ParameterError(
                    "random_state", "with `rng`", "one of the two", "they mean the same"
                )
            if isinstance(given, np.random.RandomState):
                given = np.random.default_rng(given.randint(1 << 32, size=4, dtype=np.uint64))
            elif not isinstance(given, np.random.Generator):
                whole = _whole(given)
                if whole is None or whole < 0:
                    expected = "a whole number >= 0, a Generator or a RandomState of numpy"
                    raise ParameterError("random_state", given, expected)
                given = whole
            kwargs["rng"] = given
        rng = kwargs.get("rng")
        if rng is not None and not isinstance(rng, np.random.Generator):
            seed(rng)  # also where nothing will be drawn
        return compute(*args, **kwargs)

    return computed


def seed(rng: object) -> int:
    """Return the seed ``rng`` as int.

    It must be a whole number >= 0 (not a bool), of up to 4,000 digits.
    """
    whole = _whole(rng)
    if whole is None or whole < 0:
        raise ParameterError("rng", rng, "a whole number >= 0")
    if whole >= _MOST_OF_SEED:
        raise ParameterError("rng", rng, "a whole number >= 0 of at most 4,000 digits")
    return whole
