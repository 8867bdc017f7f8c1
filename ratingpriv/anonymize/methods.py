"""The ways to make records anonymous, by name; each is loaded when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from ratingpriv import checks
from ratingpriv.anonymize.result import Anonymized
from ratingpriv.errors import ParameterError
from ratingpriv.table import RatingTable

__all__ = ["METHODS", "Method", "anonymize", "method_options"]


@dataclass(frozen=True, slots=True)
class Method:
    """A function ``f(table, *, k, epsilon, l, nulls, sensitive_nulls, rng, threads, memory, progress, ...)``.

    Attributes
    ----------
    module, function : where it is
    options : what it can be asked beside the above
    """

    module: str
    function: str
    options: tuple[str, ...] = ()


METHODS = {
    "modify": Method(
        "ratingpriv.anonymize.modification.modify", "modify", ("strategy", "grouping", "fabricate")
    ),
    "suppress": Method("ratingpriv.anonymize.suppression.suppress", "suppress"),
}


def method_options(method: str) -> tuple[str, ...]:
    """Return what a method can be asked beside the target; ParameterError if there is no such method."""
    return METHODS[checks.choice("method", method, METHODS)].options


def anonymize(table: RatingTable, method: str, **asked: Any) -> Anonymized:
    """Make ``table`` anonymous by the method of this name; arguments and errors are the method's.

    Raises
    ------
    ParameterError
        There is no such method, or it has no option of a name in ``asked``.
    """
    others = {option for other in METHODS.values() for option in other.options} - {*method_options(method)}
    known = METHODS[method]
    for name in asked:
        if name in others:
            raise ParameterError(name, asked[name], f"not to be given: {method} knows no such thing")
    function = cast(
        "Callable[..., Anonymized]", getattr(importlib.import_module(known.module), known.function)
    )
    return function(table, **asked)
