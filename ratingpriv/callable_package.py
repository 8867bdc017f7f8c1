"""Packages that are also functions: ``ratingpriv.audit(table, …)`` calls what the package is named for.

One name serves both because importing any part of a package sets the attribute of that name to the package; a
function put there would be replaced without a word.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

__all__ = ["make_callable"]


def make_callable(package: str, function: Callable[..., Any]) -> None:
    """Make calling the imported ``package`` (its full name) call ``function``, with its signature."""
    # Python 3.12 takes a static method's first parameter for self, hence the signature
    members = {"__call__": staticmethod(function), "__signature__": inspect.signature(function)}
    sys.modules[package].__class__ = type("CallablePackage", (ModuleType,), members)
