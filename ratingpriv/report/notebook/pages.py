"""The page of every kind of result, as a notebook shows it: in Python's words, without ids of records.

A notebook gets shared. So nobody is listed, whatever the command line lists; and what a page says of options
and of the next commands is for a shell, so options become parameters, and commands are left out.
"""

from __future__ import annotations

import dataclasses
import importlib
import re
from collections.abc import Mapping
from typing import Any

from ratingpriv.report.page import Command, Page, Section, Table

__all__ = ["page_of"]

_PAGES: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "Anonymized": ("ratingpriv.report.release", "anonymized_page", {}),
    "AuditResult": ("ratingpriv.report.audit", "audit_page", {"show": 0}),
    "Description": ("ratingpriv.report.description.page", "describe_page", {}),
    "Experimented": ("ratingpriv.report.recommendation.experiment", "experiment_page", {}),
    "Exposure": ("ratingpriv.report.exposure", "exposure_page", {}),
    "Findings": ("ratingpriv.report.attack", "attack_page", {"show": 0}),
    "Frontier": ("ratingpriv.report.frontier", "frontier_page", {}),
    "PartitionResult": ("ratingpriv.report.partition", "partition_page", {}),
    "RatingTable": ("ratingpriv.report.notebook.table", "table_page", {}),
    "Recommendation": ("ratingpriv.report.recommendation.page", "recommendation_page", {}),
    "Release": ("ratingpriv.report.release", "release_page", {}),
    "Reproduction": ("ratingpriv.report.reproduction.page", "reproduction_page", {}),
    "Utility": ("ratingpriv.report.utility.page", "utility_page", {}),
    "VerifyResult": ("ratingpriv.report.release", "verification_page", {}),
}
"""Where the page of each class is made, by the class's name: the module, the function, how it is called."""

_FOR_A_SHELL = frozenset(("What to do next",))
_OPTION = re.compile(
    r"(?<![\w`-])--(?P<name>[a-z]+(?:-[a-z]+)*)(?: (?P<value>\d[\d.]*\d|\d|(?:"
    r"ignore|paper|strict|wildcard|median|metric|rounded)\b))?"
)
_CALLED = {"seed": "rng"}


def page_of(result: object) -> Page:
    """Return the page of a result, or of a table; KeyError where there is none of such a thing."""
    kind = next(one.__name__ for one in type(result).__mro__ if one.__name__ in _PAGES)
    module, function, how = _PAGES[kind]
    page: Page = getattr(importlib.import_module(module), function)(result, **how)
    return dataclasses.replace(
        page,
        headline=_in_python(page.headline),
        explanation=tuple(map(_in_python, page.explanation)),
        sections=tuple(_section(one) for one in page.sections if one.title not in _FOR_A_SHELL),
    )


def _section(section: Section) -> Section:
    items: list[str | Command | Table] = [
        _in_python(item) if isinstance(item, str) else item
        for item in section.items
        if not isinstance(item, Command) and not (isinstance(item, str) and "--show" in item)
    ]
    return Section(section.title, tuple(items))


def _in_python(text: str) -> str:
    """Return a sentence with the parameters of the library instead of options."""
    return _OPTION.sub(_parameter, text)


def _parameter(match: re.Match[str]) -> str:
    name, value = match["name"].replace("-", "_"), match["value"]
    written = "" if value is None else f"={value}" if value[0].isdigit() else f"={value!r}"
    return f"`{_CALLED.get(name, name)}{written}`"
