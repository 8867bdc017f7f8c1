"""``reproduce``: one figure, or all that the data at hand allow."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.frames import typed_frame
from ratingpriv.base.progress import Progress
from ratingpriv.documents import reproduce as documents
from ratingpriv.documents.making import document_of
from ratingpriv.documents.reproduce import Judgement, Panel, Series
from ratingpriv.studies.cells import journal_of
from ratingpriv.studies.papers import attacks, counting, curves
from ratingpriv.studies.papers.data import DATA, available, table_of
from ratingpriv.studies.papers.figure import (
    Figure,
    Measured,
    Setting,
    Statement,
    figure,
    figure_names,
)
from ratingpriv.studies.papers.judging import Finding, findings

if TYPE_CHECKING:
    import polars as pl

ALL = "all"
"""The name that stands for every figure."""

COLUMNS = ("figure", "panel", "data", "series", "x_name", "x", "y_name", "y", "low", "high", "note")
"""The columns of the tidy table of points."""

KINDS: dict[str, Callable[[Panel, str, Mapping[str, Any], Setting], Measured]] = {
    "attack": attacks.attack,
    "bins": counting.bins,
    "counts": counting.counts,
    "nearest": counting.nearest,
    "rank_bits": counting.rank_bits,
    "timing": curves.timing,
    "utility": curves.utility,
}
"""What measures a panel on the data of a name, with the panel's settings."""


@dataclass(frozen=True, slots=True)
class Reproduction(Result):
    """The figures of one run.

    Attributes
    ----------
    parameters : what they were made with
    figures : each that was asked for
    """

    parameters: documents.ReproduceParameters
    figures: tuple[documents.Figure, ...]

    @property
    def made(self) -> bool:
        """Whether any figure was made."""
        return any(one.made for one in self.figures)

    def __repr__(self) -> str:
        names = ", ".join(one.name + ("" if one.made else " (not made)") for one in self.figures)
        return f"<Reproduction of {names}{', quick' if self.parameters.quick else ''}>"

    def to_frame(self) -> pl.DataFrame:
        """Return the tidy table of all points, by COLUMNS: what the figures' .csv files have.

        ``x`` is Float64, or String where some are names of bars; ``y``, ``low`` and ``high`` are
        Float64, null where nothing could be measured; the others String.
        """
        rows = [point for one in self.figures for point in points(one)]
        cells = {name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)}
        named = any(isinstance(x, str) for x in cells["x"])
        if named:
            cells["x"] = list(map(str, cells["x"]))
        kinds: dict[str, type] = dict.fromkeys(COLUMNS, str) | dict.fromkeys(
            ("y", "low", "high"), float
        )
        return typed_frame(cells, kinds | {"x": str if named else float})

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON document ``ratingpriv.reproduce/1``."""
        return document_of(documents.Reproduction, self)


def points(made: documents.Figure) -> Iterator[tuple[Any, ...]]:
    """Yield every point of every series of a figure, by COLUMNS.

    What could not be measured is None.
    """
    panels = {panel.name: panel for panel in made.panels}
    for series in made.series:
        panel, nothing = panels[series.panel], (None,) * len(series.x)
        columns = zip(
            series.x, series.y, series.low or nothing, series.high or nothing, strict=True
        )
        where = (made.name, panel.name, series.data, series.label, panel.x)
        for x, y, low, high in columns:
            yield (*where, x, panel.y, y, low, high, series.note)


@checks.takes_random_state
def reproduce(
    name: str,
    *,
    data: Mapping[str, str | Path] | None = None,
    rng: int = 0,
    random_state: int | None = None,
    quick: bool = False,
    journal: str | Path | None = None,
    on_figure: Callable[[Reproduction], object] | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """Make a figure of the papers again, and say for each of its panels
    whether the paper's statement holds.

    Parameters
    ----------
    name : a figure, as :func:`ratingpriv.studies.papers.figure.figure_names` has them, or "all"
    data : the place of each data set that is at hand, by its name in
        :data:`ratingpriv.studies.papers.data.DATA`
    rng : the seed of all random numbers
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    quick : a small grid on few records: to see that it works, and what comes out
    journal : a file in which what is measured is kept: the next run goes on there; errors as
        :func:`.cells.journal_at`
    on_figure : called with each figure once it is made, as a reproduction of it alone
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
    places = places_of(data or {})
    setting = Setting(places, checks.seed(rng), Resources(threads, memory, progress), quick)
    figures, made = figures_of(name), []
    about = documents.ReproduceParameters(
        {key: str(place) for key, place in sorted(places.items())}, setting.seed, quick
    )
    # the journal is held to the version, the seed and the data that were given for the figures
    given = (
        sorted({each for one in figures for each in one.data if each in places}) if journal else ()
    )
    tables = {each: table_of(each, setting) for each in given}
    with journal_of(journal, {"seed": setting.seed, "quick": quick}, tables) as kept:
        for one in making(figures, dataclasses.replace(setting, journal=kept), needed=name != ALL):
            made.append(one)
            if on_figure is not None:
                on_figure(Reproduction(about, (one,)))
    return Reproduction(about, tuple(made))


def places_of(data: Mapping[str, str | Path]) -> dict[str, Path]:
    """Return where data sets are.

    ParameterError where there is none of a name, or nothing at its place.
    """
    places = {checks.choice("data", name, DATA): Path(place) for name, place in data.items()}
    for name, place in places.items():
        if not place.exists():
            raise ParameterError("data", f"{name}={place}", "a file or folder that is there")
    return places


def figures_of(name: str) -> tuple[Figure, ...]:
    """Return the figure of a name, or all."""
    return tuple(map(figure, figure_names())) if name == ALL else (figure(name),)


def making(
    figures: Sequence[Figure], setting: Setting, *, needed: bool
) -> Iterator[documents.Figure]:
    """Yield each figure as it is made; refuse one without data if it is ``needed``, else say so."""
    for one in figures:
        data = available(one.data, setting)
        if not data and needed:
            remedy = "give one of them: " + " or ".join(
                f"`data={{{name!r}: PATH}}`" for name in one.data
            )
            raise ParameterError("data", sorted(setting.data), " or ".join(one.data), remedy)
        yield _made(one, data, setting)


def _made(spec: Figure, data: Sequence[str], setting: Setting) -> documents.Figure:
    """Make a figure on data sets, with a judgement a panel or more.

    Without any, only say why it is not.
    """
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes = [*spec.notes] if data else []
    for done, panel in enumerate(spec.panels if data else ()):
        settings, answers = spec.settings_for(panel.name, setting), list[str]()
        notes += filter(None, [settings.get("note")])
        setting.resources.report(f"measuring {spec.name}", done, len(spec.panels))
        wanted = settings.get("data", spec.data)
        names = available(wanted, setting)
        # none is synthesised beside those given
        if (enough := settings.get("data_sets")) is not None:
            names = (tuple(name for name in names if name in setting.data) or names)[:enough]
        for name in names:
            measured = KINDS[spec.kind](panel, name, settings, setting)
            series += [curve for curve in measured.series if curve not in series]
            judgements += _judged(panel, spec.statements[panel.name], measured, name)
            notes += measured.notes
            answers += measured.answers
        if answers:
            notes.append((f"Panel {panel.name}, " if panel.name else "") + "; ".join(answers))
        if not names:
            why = "none of its data were given: " + ", ".join(wanted)
            judgements.append(Judgement(panel.name, panel.statement, "nothing", None, why, ""))
    if data:
        notes += [panel.remark for panel in spec.panels if panel.remark]
    reason = None if data else "there are no data for it: " + " or ".join(spec.data)
    head = (spec.name, spec.title, spec.source, spec.kind, list(data), bool(data), reason)
    said, taken = list(dict.fromkeys(notes)), list(setting.journal.taken)
    setting.journal.taken.clear()  # what the next figure shares with this one was looked at here
    return documents.Figure(*head, list(spec.panels), series, judgements, said, taken)


def _judged(
    panel: Panel, statements: Sequence[Statement], measured: Measured, data: str
) -> Iterator[Judgement]:
    """Yield what holds of the paper's words on one data set.

    Where they say nothing of it, that and why.
    """
    nothing = Finding(None, measured.absent, measured.why)
    judged = False
    for statement, (lead, values) in itertools.product(statements, measured.values.items()):
        try:
            said = findings(statement.judge, values)
        except NameError:  # of a curve that could not be measured
            said = [nothing]
        for finding in said:
            judged, undecided = True, measured.undecided
            holds, why = (None, undecided) if undecided else (finding.holds, finding.why)
            yield Judgement(panel.name, statement.paper, lead + finding.ours, holds, why, data)
    if not judged:
        yield Judgement(panel.name, panel.statement, nothing.ours, None, nothing.why, data)
