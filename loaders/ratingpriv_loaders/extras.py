"""Packages that only some formats need: what to say where one is not installed."""

from __future__ import annotations

import importlib
from typing import Any

from ratingpriv.errors import ParameterError

__all__ = ["needed"]


def needed(package: str, *, extra: str, kind: str) -> Any:
    """Return the package called ``package``, as ``import`` names it.

    Raises
    ------
    ParameterError
        It is not installed; the message says which extra of ratingpriv brings it.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        found = f"no package {package.replace('_', '-')}"
        expected = f"it installed, for {kind}"
        raise ParameterError("format", found, expected, f"pip install 'ratingpriv[{extra}]'") from error
