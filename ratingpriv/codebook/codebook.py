"""A codebook: roles, scales, rules and recodes of columns by name or pattern, and options of commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ratingpriv.codebook.roles import ColumnSpec

__all__ = ["Codebook"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Codebook:
    """What is said of the columns of a data set.

    Attributes
    ----------
    columns : what is said, by a column's name or a pattern (``Q2_*``), in the file's order
    missing : texts that mean unanswered in every column, beside the usual ones
    data : further words of ``[data]`` (``path``, ``format``, ``layout``, ``sheet``, ``attributes``, ...)
    commands : options of commands, by the command's name: ``{"audit": {"k": 5}}``
    place : the file that was read, against which its paths (``path``, ``map``) are taken; None: none
    sha256 : of the file's bytes, hexadecimal; None where there is no file
    """

    columns: Mapping[str, ColumnSpec] = field(default_factory=lambda: MappingProxyType({}))
    missing: tuple[str, ...] = ()
    data: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    commands: Mapping[str, Mapping[str, Any]] = field(default_factory=lambda: MappingProxyType({}))
    place: Path | None = None
    sha256: str | None = None
