"""``reproduce``: one figure, or all that the data at hand allow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.display import Displayed
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.frames import typed_frame
from ratingpriv.base.progress import Progress
from ratingpriv.base.provenance import tool
from ratingpriv.studies.papers.data import DATA, available
from ratingpriv.studies.papers.figure import Figure, Outcome, Panel, Setting
from ratingpriv.studies.papers.kinds.running import run
from ratingpriv.studies.papers.specs.reading import figure, figure_names

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ALL", "COLUMNS", "Reproduced", "Reproduction", "figures_of", "making", "reproduce", "setting_of"]

ALL = "all"
"""The name that stands for every figure."""

COLUMNS = ("figure", "panel", "data", "series", "x_name", "x", "y_name", "y", "low", "high", "note")
"""The columns of the tidy table of points."""


@dataclass(frozen=True, slots=True)
class Reproduced:
    """A figure, and what came of it.

    Attributes
    ----------
    figure : what was to be made
    data : the names of the data that it was made on
    outcome : what came out; None where it was not made
    reason : why it was not made; "" where it was
    """

    figure: Figure
    data: tuple[str, ...]
    outcome: Outcome | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object."""
        one, made = self.figure, self.outcome
        return {
            "name": one.name, "title": one.title, "source": one.source, "kind": one.kind,
            "data": list(self.data), "made": made is not None, "reason": self.reason or None,
            "panels": [_panel(panel) for panel in one.panels],
            "series": [] if made is None else [_listed(asdict(series)) for series in made.series],
            "judgements": [] if made is None else [asdict(judgement) for judgement in made.judgements],
            "notes": [] if made is None else list(made.notes),
        }  # fmt: skip

    def points(self) -> Iterator[tuple[Any, ...]]:
        """Yield every point of every series, by COLUMNS; what could not be measured is None."""
        for series in () if self.outcome is None else self.outcome.series:
            panel = self.figure.panel(series.panel)
            nothing = (None,) * len(series.x)
            columns = zip(series.x, series.y, series.low or nothing, series.high or nothing, strict=True)
            for x, y, low, high in columns:
                yield (
                    self.figure.name, panel.name, series.data, series.label, panel.x, x, panel.y, y, low,
                    high, series.note,
                )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reproduction(Displayed):
    """The figures of one run.

    Attributes
    ----------
    setting : what they were made with
    figures : each that was asked for
    """

    setting: Setting
    figures: tuple[Reproduced, ...]

    @property
    def made(self) -> bool:
        """Whether any figure was made."""
        return any(one.outcome is not None for one in self.figures)

    def __repr__(self) -> str:
        names = ", ".join(one.figure.name + ("" if one.outcome else " (not made)") for one in self.figures)
        return f"<Reproduction of {names}{', quick' if self.setting.quick else ''}>"

    def to_frame(self) -> pl.DataFrame:
        """Return the tidy table of all points, by COLUMNS: what the figures' .csv files have.

        ``x`` is Float64, or String where some are names of bars; ``y``, ``low`` and ``high`` are Float64,
        null where nothing could be measured; the others String.
        """
        points = [point for one in self.figures for point in one.points()]
        cells = {name: [point[place] for point in points] for place, name in enumerate(COLUMNS)}
        if any(isinstance(x, str) for x in cells["x"]):
            cells["x"] = list(map(str, cells["x"]))
        kinds: dict[str, type] = dict.fromkeys(COLUMNS, str) | dict.fromkeys(("y", "low", "high"), float)
        named = bool(points) and isinstance(cells["x"][0], str)
        return typed_frame(cells, kinds | {"x": str if named else float})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document ``ratingpriv.reproduce/1``."""
        setting = self.setting
        return {
            "schema": "ratingpriv.reproduce/1",
            "tool": tool(),
            "parameters": {
                "data": {name: str(place) for name, place in sorted(setting.data.items())},
                "seed": setting.seed,
                "quick": setting.quick,
            },
            "figures": [one.to_dict() for one in self.figures],
        }


@checks.takes_random_state
def reproduce(
    name: str,
    *,
    data: Mapping[str, str | Path] | None = None,
    rng: int = 0,
    random_state: int | None = None,
    quick: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Make a figure of the papers again, and say for each of its panels whether the paper's statement holds.

    Parameters
    ----------
    name : a figure, as :func:`ratingpriv.studies.papers.specs.reading.figure_names` has them, or "all"
    data : the place of each data set that is at hand, by its name in
        :data:`ratingpriv.studies.papers.data.DATA`
    rng : the seed of all random numbers
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    quick : a small grid on few records: to see that it works, and what comes out
    threads, memory, progress : as for :func:`ratingpriv.audit`

    Returns
    -------
    Reproduction
        The figures. Of "all", those whose data are absent are in it with the reason.

    Raises
    ------
    ParameterError
        There is no such figure or data set; or, unless all were asked for, its data are absent.
    """
    setting = setting_of(data=data, rng=rng, quick=quick, threads=threads, memory=memory, progress=progress)
    return Reproduction(setting, tuple(making(figures_of(name), setting, needed=name != ALL)))


def figures_of(name: str) -> tuple[Figure, ...]:
    """Return the figure of a name, or all."""
    return tuple(map(figure, figure_names())) if name == ALL else (figure(name),)


def setting_of(
    *,
    data: Mapping[str, str | Path] | None,
    rng: int,
    quick: bool,
    threads: int | None,
    memory: int | None,
    progress: Progress | None,
) -> Setting:
    """Return what figures are made with, checked; the parameters are those of :func:`reproduce`.

    Raises
    ------
    ParameterError
        There is no such data set, nothing is at its place, or a number is out of range.
    """
    places = {checks.choice("data", name, DATA): Path(place) for name, place in (data or {}).items()}
    for name, place in places.items():
        if not place.exists():
            raise ParameterError("data", f"{name}={place}", "a file or folder that is there")
    setting = Setting(places, checks.seed(rng), threads, memory, progress, quick)
    _ = setting.resources  # checks them
    return setting


def making(figures: Sequence[Figure], setting: Setting, *, needed: bool) -> Iterator[Reproduced]:
    """Yield each figure as it is made; refuse one without data if it is ``needed``, else say so."""
    for one in figures:
        data = available(one.data, setting)
        if not data and needed:
            remedy = "give one of them: " + " or ".join(f"`data={{{name!r}: PATH}}`" for name in one.data)
            raise ParameterError("data", sorted(setting.data), " or ".join(one.data), remedy)
        if not data:
            yield Reproduced(one, (), None, "there are no data for it: " + " or ".join(one.data))
            continue
        yield Reproduced(one, data, run(one, setting))


def _panel(panel: Panel) -> dict[str, Any]:
    quotations = [_listed(asdict(quotation)) for quotation in panel.quotations]
    return {**asdict(panel), "statement": panel.statement, "quotations": quotations}


def _listed(content: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in content.items()}
