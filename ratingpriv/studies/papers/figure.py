"""What a figure is: its panels with the paper's statements, what it is made on, and what comes out."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress

__all__ = ["FORMS", "SCALES", "Figure", "Judgement", "Outcome", "Panel", "Quotation", "Series", "Setting"]

FORMS = ("lines", "bars", "steps")
"""How a panel is drawn."""

SCALES = ("linear", "log")
"""How an axis is divided."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """What a paper says of a picture, in its own words: they stand there, as a test holds it.

    Attributes
    ----------
    words : verbatim; " ... " where words between were left out
    place : the page, or the section where the text at hand has no pages: "p. 11", "§7.2"
    rules : what of it is judged, by the names that the figure's kind has for its rules; empty: its one rule
    """

    words: str
    place: str
    rules: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the words in quotation marks, and where they stand."""
        return f'"{self.words}" ({self.place})'


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture of a figure, and what the paper says of it.

    Attributes
    ----------
    name : as the paper has it: "a", "b"; "" where the figure is one picture
    x, y : what is on the axes, as names of columns ("percent", "seconds")
    x_label, y_label : the same for readers, with the unit
    quotations : what the paper says of the picture
    form : one of FORMS
    x_scale, y_scale : one of SCALES
    remark : what a reader of these words should know, ours
    """

    name: str
    x: str
    y: str
    x_label: str
    y_label: str
    quotations: tuple[Quotation, ...]
    form: str = "lines"
    x_scale: str = "linear"
    y_scale: str = "linear"
    remark: str = ""

    @property
    def statement(self) -> str:
        """All that the paper says of the picture."""
        return "; ".join(map(str, self.quotations))

    @property
    def rules(self) -> tuple[str, ...]:
        """What is judged."""
        return tuple(rule for quotation in self.quotations for rule in quotation.rules)

    def paper(self, rule: str) -> str:
        """Return the words that a rule judges."""
        for quotation in self.quotations:
            if rule in quotation.rules:
                return str(quotation)
        raise ParameterError("rule", rule, f"a rule of panel {self.name}: {', '.join(self.rules)}")


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a paper: what is in its file of :mod:`ratingpriv.studies.papers.specs`.

    Attributes
    ----------
    name : as it is asked for: "swlz11-3"
    title : what it shows
    source : where it is printed: "[SWLZ11, Fig. 3]"
    kind : the module of :mod:`ratingpriv.studies.papers.kinds` that makes it
    data : the names of the data that it can be made on, each that is there is used; at least one has to be
    panels : its pictures
    settings : the parameters of its kind
    quick : those of them that are others in a quick run
    """

    name: str
    title: str
    source: str
    kind: str
    data: tuple[str, ...]
    panels: tuple[Panel, ...]
    settings: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    quick: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def panel(self, name: str) -> Panel:
        """Return the panel of this name."""
        for one in self.panels:
            if one.name == name:
                return one
        raise ParameterError("panel", name, f"a panel of {self.name}")

    def settings_for(self, setting: Setting) -> Mapping[str, Any]:
        """Return the parameters of its kind, those of a quick run where it is one."""
        return {**self.settings, **self.quick} if setting.quick else self.settings


@dataclass(frozen=True, slots=True)
class Setting:
    """What a figure is made with.

    Attributes
    ----------
    data : the place of each data set that is there, by name
    seed : of all random numbers; :meth:`stream` gives each use its own
    threads, memory, progress : as in :class:`ratingpriv.base.compute.resources.Resources`
    quick : whether a small grid on few records will do, which judges little
    kept : what the figures of one run share, by a key of their own: tables, measurements
    """

    data: Mapping[str, Path] = field(default_factory=lambda: MappingProxyType({}))
    seed: int = 0
    threads: int | None = None
    memory: int | None = None
    progress: Progress | None = None
    quick: bool = False
    kept: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def resources(self) -> Resources:
        """Threads, memory and progress."""
        return Resources(threads=self.threads, memory=self.memory, progress=self.progress)

    def stream(self, *names: str) -> np.random.Generator:
        """Return the random numbers of one use, named by what it is for: others change nothing in them."""
        words = [zlib.crc32(name.encode()) for name in names]
        return np.random.default_rng(np.random.SeedSequence([self.seed, *words]))


@dataclass(frozen=True, slots=True)
class Series:
    """One curve, or one kind of bar.

    Attributes
    ----------
    panel : the name of its panel
    label : what it is, for the legend: method and data
    x : numbers ascending, or names of bars
    y : float values; None where it could not be measured, as ``note`` says
    low, high : an interval or range around each y, None where there is none
    note : what else is to be known of it
    data : the name of the data it was made on; "" where that has no meaning
    """

    panel: str
    label: str
    x: tuple[float, ...] | tuple[str, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] | None = None
    high: tuple[float | None, ...] | None = None
    note: str = ""
    data: str = ""

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        for name in ("y", "low", "high"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.x):
                raise ParameterError(name, len(values), f"{len(self.x)} values, one for each x")


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a statement of the paper holds here.

    Attributes
    ----------
    panel : the name of its panel
    paper : the paper's statement, or the part of it that is judged
    ours : what came out, with its numbers
    holds : None where it cannot be said
    why : the rule by which that was decided, and the reason
    data : the name of the data; "" where all are meant
    """

    panel: str
    paper: str
    ours: str
    holds: bool | None
    why: str
    data: str = ""

    @property
    def verdict(self) -> str:
        """``holds`` in words."""
        return {True: "holds", False: "does not hold", None: "cannot be said"}[self.holds]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a figure.

    Attributes
    ----------
    series : what is drawn
    judgements : for each panel at least one
    notes : what a reader should know, a sentence each
    """

    series: tuple[Series, ...]
    judgements: tuple[Judgement, ...]
    notes: tuple[str, ...] = ()
