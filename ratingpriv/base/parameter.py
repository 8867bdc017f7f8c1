"""What a registry says of a parameter of its rows, so that a command line can walk it."""

from __future__ import annotations

import typing
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """How an option asks for a parameter that is None where it is not given.

    Attributes
    ----------
    words : what it asks for, a sentence of the help
    kind : of its value
    metavar : what stands for the value in the help; None: what stands for its kind
    least, most : what the value may be at least, and at most; None: the library says
    """

    words: str
    kind: type[int | float] = float
    metavar: str | None = None
    least: float | None = None
    most: float | None = None


def parameters_of(annotated: type) -> dict[str, Parameter]:
    """Return the parameters that a class has in annotations of its attributes, by name."""
    hints = typing.get_type_hints(annotated, include_extras=True)
    return {
        name: extra
        for name, hint in hints.items()
        for extra in getattr(hint, "__metadata__", ())
        if isinstance(extra, Parameter)
    }
