"""Reading the figures' files: which figures there are, and one by its name.

A file has ``title``, ``source``, ``kind``, ``data`` (names), the tables ``[settings]`` and ``[quick]`` for
its kind, and for each panel a table ``[[panels]]`` with the attributes of
:class:`~ratingpriv.studies.papers.figure.Panel`; its ``[[panels.quotations]]`` have those of
:class:`~ratingpriv.studies.papers.figure.Quotation`.
"""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, fields
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.studies.papers.figure import FORMS, SCALES, Figure, Panel, Quotation

__all__ = ["figure", "figure_names", "figure_of"]

_FOLDER = importlib.resources.files("ratingpriv.studies.papers.specs")
_KEYS = ("title", "source", "kind", "data", "panels", "settings", "quick")
_PANEL = {one.name: one.default is MISSING for one in fields(Panel)}
_QUOTATION = {one.name: one.default is MISSING for one in fields(Quotation)}


def figure_names() -> tuple[str, ...]:
    """Return the names of all figures, by paper and then by number."""
    names = (file.name for file in _FOLDER.iterdir())
    return tuple(sorted((name[:-5] for name in names if name.endswith(".toml")), key=_order))


def figure(name: str) -> Figure:
    """Return the figure of this name.

    Raises
    ------
    ParameterError
        There is none.
    """
    known = figure_names()
    if name not in known:
        close = get_close_matches(name, known, n=1)
        remedy = f"did you mean {close[0]}?" if close else "`list` names them all"
        raise ParameterError("figure", name, "a figure that can be reproduced", remedy)
    content = tomllib.loads(_FOLDER.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    return figure_of(name, content)


def figure_of(name: str, content: Mapping[str, Any]) -> Figure:
    """Return the figure that a file's content describes.

    Raises
    ------
    ParameterError
        A key is missing or unknown, or has a value that it cannot have.
    """
    for key in content:
        checks.choice(f"key of {name}", key, _KEYS)
    for key in _KEYS[:5]:
        if not content.get(key):
            raise ParameterError(f"{key} of {name}", content.get(key), "to be there")
    panels = tuple(_panel(name, one) for one in content["panels"])
    if len({one.name for one in panels}) < len(panels):
        raise ParameterError(f"panels of {name}", [one.name for one in panels], "different names")
    return Figure(
        name, content["title"], content["source"], content["kind"], tuple(content["data"]), panels,
        MappingProxyType(content.get("settings", {})), MappingProxyType(content.get("quick", {})),
    )  # fmt: skip


def _panel(name: str, content: Mapping[str, Any]) -> Panel:
    of_panel = f"a panel of {name}"
    _has_keys(of_panel, content, _PANEL)
    if not content["quotations"]:
        raise ParameterError(f"quotations of {of_panel}", [], "what the paper says of it")
    quotations = []
    for one in content["quotations"]:
        _has_keys(f"a quotation of {name}", one, _QUOTATION)
        quotations.append(Quotation(**{**one, "rules": tuple(one.get("rules", ()))}))
    panel = Panel(**{**content, "quotations": tuple(quotations)})
    checks.choice(f"form of a panel of {name}", panel.form, FORMS)
    for scale in (panel.x_scale, panel.y_scale):
        checks.choice(f"scale of a panel of {name}", scale, SCALES)
    return panel


def _has_keys(what: str, content: Mapping[str, Any], keys: Mapping[str, bool]) -> None:
    for key in content:
        checks.choice(f"key of {what}", key, keys)
    for key, needed in keys.items():
        if needed and key not in content:
            raise ParameterError(f"{key} of {what}", None, "to be there")


def _order(name: str) -> tuple[str, int]:
    paper, number = re.fullmatch(r"(.*?)-?(\d*)", name).groups()  # type: ignore[union-attr]
    return paper, int(number or 0)
