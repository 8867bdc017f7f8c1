"""[CTWY10, Fig. 4]: how large bins become around real and around virtual centres.

Settings: ``seeds`` (so many), ``columns`` (of the histograms) and ``factors``. The number of bins is the
paper's, √m, and none is dissolved: the figure is about what comes before that.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.predictive.bins import CENTRES, assigned, centres_of
from ratingpriv.anonymize.predictive.space import points_of
from ratingpriv.studies.papers.data import available, part_of_netflix, table_of
from ratingpriv.studies.papers.figure import Figure, Judgement, Outcome, Panel, Series, Setting
from ratingpriv.utility.prediction import RatingModel

__all__ = ["coefficient_of_variation", "run"]

_PANELS = {"real": "a", "virtual": "b"}
_SEEDS = 20  # fewer decide nothing


def run(figure: Figure, setting: Setting) -> Outcome:
    """Make the bins of each data set that is there, with each kind of centre, from the same samples."""
    settings = figure.settings_for(setting)
    series: list[Series] = []
    judgements: list[Judgement] = []
    notes: list[str] = []
    for data in available(figure.data, setting):
        table = table_of(data, setting)
        model = RatingModel.fit(table, factors=settings["factors"], resources=setting.resources)
        points = points_of(model)
        bins = max(1, round(table.n_records**0.5))
        sizes = {
            centres: [_sizes(points, bins, seed, centres, setting) for seed in range(settings["seeds"])]
            for centres in CENTRES
        }
        edges = np.histogram_bin_edges(
            np.concatenate([sizes[centres][0] for centres in CENTRES]), settings["columns"]
        )
        for centres, panel in _PANELS.items():
            counts, _ = np.histogram(sizes[centres][0], edges)
            x, y = tuple(map(float, (edges[:-1] + edges[1:]) / 2)), tuple(map(float, counts))
            note = "the bins of the first seed; x is the middle of a column"
            series.append(Series(panel, data, x, y, note=note, data=data))
            judgements.append(_judged(sizes, centres, data, figure.panel(panel)))
        part = part_of_netflix(data, table)
        notes += [f"{data}: {part}"] if part else []
        notes.append(
            f"{data}: {bins} bins, {table.n_records:,} records, {table.n_records / bins:.0f} each on average"
        )
    return Outcome(tuple(series), tuple(judgements), tuple(notes))


def coefficient_of_variation(sizes: NDArray[np.int64]) -> float:
    """Return the standard deviation (÷ count) over the mean."""
    return float(sizes.std() / sizes.mean())


def _sizes(
    points: NDArray[np.float64], bins: int, seed: int, centres: str, setting: Setting
) -> NDArray[np.int64]:
    """Return how many records are nearest to each centre; both kinds of centre come from the same sample."""
    rng = setting.stream("bins", str(seed))
    middle = centres_of(points, bins, rng, setting.resources, centres=centres)
    return np.bincount(assigned(points, middle), minlength=bins)


def _judged(sizes: dict[str, list[NDArray[np.int64]]], centres: str, data: str, panel: Panel) -> Judgement:
    variation = {name: [coefficient_of_variation(one) for one in several] for name, several in sizes.items()}
    smaller = sum(
        virtual < real for virtual, real in zip(variation["virtual"], variation["real"], strict=True)
    )
    of = len(variation["real"])
    smallest = min(int(one.min()) for one in sizes[centres])
    largest = max(int(one.max()) for one in sizes[centres])
    means = {name: float(np.mean(several)) for name, several in variation.items()}
    ours = (
        f"{smallest:,} to {largest:,} in {of} seeds; mean coefficient of variation {means['virtual']:.2f} "
        f"virtual, {means['real']:.2f} real, virtual smaller in {smaller} of {of} seeds"
    )
    why = (
        "judged is the shape: sizes vary less around virtual centres, on average and in three quarters of "
        "the seeds; the sizes themselves are of other data"
    )
    holds = (means["virtual"] < means["real"] and 4 * smaller >= 3 * of) if of >= _SEEDS else None
    return Judgement(panel.name, panel.statement, ours, holds, why, data)
