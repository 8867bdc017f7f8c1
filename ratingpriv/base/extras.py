"""Packages that an extra brings: imported where they are needed, named where they are missing."""

from __future__ import annotations

import importlib
from typing import Any

from ratingpriv.base.errors import ParameterError


def needed(package: str, *, extra: str, kind: str, parameter: str = "format") -> Any:
    """Return the package that ``import`` knows by this name.

    ParameterError: which ``extra`` brings it.
    """
    try:
        return importlib.import_module(package)
    except ImportError as error:
        found = f"no package {package.replace('_', '-')}"
        raise ParameterError(
            parameter, found, f"it installed, for {kind}", f"pip install 'ratingpriv[{extra}]'"
        ) from error


def arrow(kind: str, *, extra: str = "parquet", parameter: str = "format") -> Any:
    """Return pyarrow, which ``kind`` of data takes; ParameterError where it is missing."""
    return needed("pyarrow", extra=extra, kind=kind, parameter=parameter)
