"""A figure: its panels with the paper's words and their judges, what it is made on,
and what comes out.

A figure is a file of ``specs``: ``title``, ``source``, ``kind``, ``data`` (names), ``notes`` for
readers, the ``settings`` of its kind, those of a ``quick`` run that are others, and for each
picture ``[[panels]]``: the keys of :class:`ratingpriv.documents.reproduce.Panel`, its own
``settings`` and ``quick``, and the paper's words in ``[[panels.quotations]]``, each with a
``judge``, an expression, or several by name in ``rules``
(:mod:`ratingpriv.studies.papers.judging`).
"""

from __future__ import annotations

import importlib.resources
import json
import re
import tomllib
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import convert, to_builtins

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, meant
from ratingpriv.documents.reproduce import Panel, Series
from ratingpriv.studies.cells import Journal

_FOLDER = importlib.resources.files("ratingpriv.studies.papers").joinpath("specs")
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_PLAIN = {"form": "lines", "x_scale": "linear", "y_scale": "linear", "remark": ""}


@dataclass(frozen=True, slots=True)
class Statement:
    """What is judged of a panel: the paper's words with their place, and the judge,
    an expression.
    """

    paper: str
    judge: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a paper.

    Attributes
    ----------
    name, source : as it is asked for: "swlz11-3"; and where it is printed: "[SWLZ11, Fig. 3]"
    kind : what makes it, of :data:`ratingpriv.studies.papers.reproducing.KINDS`
    data : the names of the data that it can be made on, each that is there is used; at least one
        has to be
    statements : what is judged, by the panel's name
    settings, quick : by the panel's name, the parameters of its kind, and those of a quick run
    notes : what a reader should know, whatever comes out
    """

    name: str
    title: str
    source: str
    kind: str
    data: tuple[str, ...]
    panels: tuple[Panel, ...]
    statements: Mapping[str, tuple[Statement, ...]]
    settings: Mapping[str, Mapping[str, Any]]
    quick: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...] = ()

    def settings_for(self, panel: str, setting: Setting) -> Mapping[str, Any]:
        """Return the parameters of a panel, those of a quick run where it is one."""
        return (self.quick if setting.quick else self.settings)[panel]


@dataclass(frozen=True, slots=True)
class Setting:
    """What a figure is made with.

    Attributes
    ----------
    data : the place of each data set that is there, by name
    seed : of all random numbers; :meth:`stream` gives each use its own
    quick : whether a small grid on few records will do, which judges little
    journal : where what was measured is kept
    """

    data: Mapping[str, Path] = _NOTHING
    seed: int = 0
    resources: Resources = field(default_factory=Resources)
    quick: bool = False
    journal: Journal = field(default_factory=Journal, compare=False, repr=False)
    _shared: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    def stream(self, *names: str) -> np.random.Generator:
        """Return the random numbers of one use, named by what it is for:
        others change nothing in them.
        """
        words = [zlib.crc32(name.encode()) for name in names]
        return np.random.default_rng(np.random.SeedSequence([self.seed, *words]))

    def shared[T](self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return what the figures of a run share: tables and releases, made once."""
        if key not in self._shared:
            self._shared[key] = make()
        made: T = self._shared[key]
        return made

    def measured[T](self, cell: tuple[Any, ...], measure: Callable[[], T], kind: type[T]) -> T:
        """Return what was measured in a cell, in this run or in the one that the journal is of."""
        (row,) = self.journal.measured(json.dumps(cell), lambda: [to_builtins(measure())])
        return convert(row, kind)


@dataclass(frozen=True, slots=True)
class Measured:
    """What came of a panel on one data set.

    Attributes
    ----------
    values : what judges speak of, by name; several times, each after its lead, where they speak of
        parts
    notes : what a reader should know, a sentence each
    undecided : why nothing can be said, whatever the numbers are; empty where it can
    absent, why : what came out where nothing is judged, and the reason
    answers : what stands in one note, all data of a panel together
    """

    series: Sequence[Series] = ()
    values: Mapping[str, Mapping[str, Any]] = _NOTHING
    notes: Sequence[str] = ()
    undecided: str = ""
    absent: str = "nothing"
    why: str = "a curve is not whole"
    answers: Sequence[str] = ()


def series(
    label: str,
    x: Sequence[float | str],
    y: Sequence[float | None],
    *,
    data: str = "",
    panel: str = "",
    low: Sequence[float | None] | None = None,
    high: Sequence[float | None] | None = None,
    note: str = "",
) -> Series:
    """Return one curve, or one kind of bar."""
    low, high = (None if ends is None else list(ends) for ends in (low, high))
    return Series(panel, label, list(x), list(y), low, high, note, data)


def figure_names() -> tuple[str, ...]:
    """Return the names of all figures, by paper and then by number."""
    names = (file.name for file in _FOLDER.iterdir())
    return tuple(sorted((name[:-5] for name in names if name.endswith(".toml")), key=_order))


def figure(name: str) -> Figure:
    """Return the figure of this name; ParameterError where there is none."""
    known = figure_names()
    if name not in known:
        remedy = meant(name, known) or "`list` names them all"
        raise ParameterError("figure", name, "a figure that can be reproduced", remedy)
    return figure_of(
        name, tomllib.loads(_FOLDER.joinpath(f"{name}.toml").read_text(encoding="utf-8"))
    )


def figure_of(name: str, content: Mapping[str, Any]) -> Figure:
    """Return the figure that a file's content describes.

    ValidationError (msgspec) where a panel is wrong.
    """
    panels, statements, settings, quick = [], {}, {}, {}
    for given in content["panels"]:
        panel = dict(given)
        own, few = panel.pop("settings", {}), panel.pop("quick", {})
        worded = [
            (f'"{given["words"]}" ({given["place"]})', given) for given in panel["quotations"]
        ]
        panel["statement"] = "; ".join(words for words, _ in worded)
        panel["quotations"] = [
            {
                "words": given["words"],
                "place": given["place"],
                "rules": list(given.get("rules", ())),
            }
            for _, given in worded
        ]
        panels.append(convert({**_PLAIN, **panel}, Panel))
        label = panels[-1].name
        statements[label] = tuple(
            Statement(words, judge)
            for words, given in worded
            for judge in given.get("rules", {"": given.get("judge")}).values()
        )
        settings[label] = {**content.get("settings", {}), **own}
        quick[label] = {**settings[label], **content.get("quick", {}), **few}
    head = (name, content["title"], content["source"], content["kind"], tuple(content["data"]))
    return Figure(
        *head, tuple(panels), statements, settings, quick, tuple(content.get("notes", ()))
    )


def _order(name: str) -> tuple[str, int]:
    paper, number = re.fullmatch(r"(.*?)-?(\d*)", name).groups()  # type: ignore[union-attr]
    return paper, int(number or 0)
