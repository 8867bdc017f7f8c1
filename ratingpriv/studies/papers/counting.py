"""Curves that are counted in data as they are: ratings, neighbours, bits by rank, sizes of bins.

``counts`` [NS08, Figs 2 and 3]: settings ``most`` (x = 1..most); its table "Not in X most rated":
``tops``, ``at_least`` and ``printed``, the paper's shares in %. ``nearest`` [NS08, Fig. 1]:
``points`` (the x) and ``sample`` (so many records at most are compared with all others).
``rank_bits`` [NS08, Fig. 7]: ``rating_error``, ``date_error`` and ``most`` (so many ranks at most,
spread evenly over the log). ``bins`` [CTWY10, Fig. 4]: ``centres`` of the panel, ``seeds`` (so
many), ``columns`` of the histograms, ``factors``; the number of bins is the paper's, √m, and none
is dissolved: the figure is about what comes before that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.predictive.groups import CENTRES, assigned, centres_of, points_of
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.dates import INSTANT, has_dates
from ratingpriv.attack.evaluation.experiments import FEW
from ratingpriv.attack.knowledge.adversaries import eligible_ratings
from ratingpriv.attack.sparsity import sparsity
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.selection import supports_of
from ratingpriv.documents.reproduce import Panel
from ratingpriv.proximity.levels import proximate_codes
from ratingpriv.studies.papers.data import NETFLIX, part_of_netflix, table_of
from ratingpriv.studies.papers.figure import Measured, Setting, series
from ratingpriv.utility.prediction import RatingModel

_SIMILAR: tuple[tuple[str, float | None, float | None], ...] = (
    ("the same films rated", None, None),
    ("ratings ±1", 1, None),
    ("ratings ±1, dates ±14 days", 1, 14),
)
_SEEDS = 20  # fewer decide nothing


def counts(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Count the records with so many ratings, and with at least so many."""
    table = table_of(data, setting)
    if "tops" in settings:
        return _outside(table, data, settings)
    exactly, at_least, largest = rating_counts(table, settings["most"])
    x = list(map(float, range(1, settings["most"] + 1)))
    curves = (("exactly x", exactly), ("at least x", at_least))
    values = {"exactly": exactly.tolist(), "at_least": at_least.tolist(), "largest": largest}
    values |= {"people": table.n_records, "films": table.n_issues, "numbers": np.diff(table.indptr)}
    drawn = [series(f"{data}, {label}", x, list(map(float, y)), data=data) for label, y in curves]
    return Measured(drawn, {"": {**values, "all": NETFLIX}}, undecided=part_of_netflix(data, table))


def _outside(table: RatingTable, data: str, settings: Mapping[str, Any]) -> Measured:
    """Count the records with so many ratings of films that are not among the most rated."""
    tops, numbers = list(map(float, settings["tops"])), settings["at_least"]
    outside = outside_most_rated(table, settings["tops"], numbers)
    shares = {top: [100 * row[number] for number in numbers] for top, row in outside.items()}
    curves = [("paper", "", settings["printed"]), (data, data, list(shares.values()))]
    drawn = [
        series(f"{who}, at least {number}", tops, [float(row[place]) for row in rows], data=name)
        for who, name, rows in curves
        for place, number in enumerate(numbers)
    ]
    own, paper = (100 * min(100 / films, 1) for films in (table.n_issues, NETFLIX["films"]))
    note = (
        f"{data} has {table.n_issues:,} films: its 100 most rated are {own:.1f} % of them, the "
        f"paper's "
        f"{paper:.1f} %"
    )
    values = {"shares": shares, "films": table.n_issues}
    return Measured(drawn, {"": values}, [note], part_of_netflix(data, table))


def nearest(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Find the nearest neighbours, by what is taken for similar."""
    table, most = table_of(data, setting), settings["sample"]
    points = list(map(float, settings["points"]))
    rated = int(np.count_nonzero(np.diff(table.indptr)))
    drawn, values, notes = [], {}, []
    for what, ratings, dates in _SIMILAR:
        if dates is not None and not has_dates(table):
            notes.append(f"{data}: its ratings have no dates")
            continue
        how: dict[str, Any] = {
            "rating_tolerance": ratings,
            "date_tolerance": dates,
            "rng": setting.seed,
        }
        how["sample"] = None if rated <= most else most
        similarity = sparsity(table, **how, resources=setting.resources)
        y = [100 * share for _, share in similarity.curve(points)]
        drawn.append(series(f"{data}, {what}", points, y, data=data))
        if ratings is None:
            values = {"above": similarity.delta(0.5), "sampled": similarity.sampled, "FEW": FEW}
            if similarity.sampled:
                notes.append(
                    f"{data}: {len(similarity.positions):,} of {similarity.rated:,} records, drawn "
                    "uniformly, are compared with all others"
                )
    return Measured(drawn, {"": values}, notes, part_of_netflix(data, table))


def rank_bits(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Find the bits still lacking after one known rating, by the film's popularity rank."""
    table, notes = table_of(data, setting), []
    last, most, error = (
        int(np.count_nonzero(supports_of(table))),
        settings["most"],
        settings["rating_error"],
    )
    ranks = np.geomspace(1, last, most).round() if last > most else np.arange(1, last + 1)
    days = settings["date_error"] if has_dates(table) else None
    lacking = residual_bits(
        table, rating_error=error, date_error=days, ranks=np.unique(ranks).astype(np.int64).tolist()
    )
    x = list(map(float, lacking.rank))
    curves = [
        ("nothing known", np.full(len(x), lacking.prior)),
        ("no rating or date", lacking.rated),
        (f"rating ±{error:g}", lacking.rating),
    ]
    if days is None:
        notes.append(f"{data}: its ratings have no dates")
    else:
        curves.append((f"date ±{days:g} days", lacking.date))
    bits = {label: [None if np.isnan(y) else float(y) for y in values] for label, values in curves}
    drawn = [series(f"{data}, {label}", x, y, data=data) for label, y in bits.items()]
    middle = (
        int(np.argmin(np.abs(np.log(lacking.rank) - np.log(lacking.rank[-1]) / 2))) if len(x) else 0
    )
    rows = list(zip(lacking.rank.tolist(), *list(bits.values())[1:], strict=True))
    places = dict.fromkeys((0, middle, len(rows) - 1)) if rows else ()
    values = {"rows": rows, "shown": [rows[place] for place in places], "prior": lacking.prior}
    return Measured(drawn, {"": values}, notes)


def bins(panel: Panel, data: str, settings: Mapping[str, Any], setting: Setting) -> Measured:
    """Make bins with each kind of centre, from the same samples, and count the sizes."""
    table = table_of(data, setting)
    number = max(1, round(table.n_records**0.5))

    def made() -> dict[str, list[NDArray[np.int64]]]:
        model = RatingModel.fit(table, factors=settings["factors"], resources=setting.resources)
        points = points_of(model)
        sizes: dict[str, list[NDArray[np.int64]]] = {}
        for centres in CENTRES:  # both kinds come from the same samples
            sizes[centres] = []
            for seed in range(settings["seeds"]):
                rng = setting.stream("bins", str(seed))
                middle = centres_of(points, number, rng, setting.resources, centres=centres)
                sizes[centres].append(np.bincount(assigned(points, middle), minlength=number))
        return sizes

    sizes = setting.shared(("bins", data, settings["seeds"], settings["factors"]), made)
    every, own = (
        np.concatenate([sizes[centres][0] for centres in CENTRES]),
        sizes[settings["centres"]],
    )
    heights, edges = np.histogram(own[0], np.histogram_bin_edges(every, settings["columns"]))
    note = "the bins of the first seed; x is the middle of a column"
    x, y = ((edges[:-1] + edges[1:]) / 2).tolist(), list(map(float, heights))
    part = part_of_netflix(data, table)
    notes = [f"{data}: {part}"] if part else []
    notes.append(
        f"{data}: {number} bins, {table.n_records:,} records, {table.n_records / number:.0f} each "
        f"on average"
    )
    values = {
        "sizes": np.concatenate(own),
        "enough": settings["seeds"] >= _SEEDS,
        **{  # the coefficients of variation
            name: [float(each.std() / each.mean()) for each in several]
            for name, several in sizes.items()
        },
    }
    return Measured(
        [series(data, x, y, note=note, data=data, panel=panel.name)], {"": values}, notes
    )


def rating_counts(
    table: RatingTable, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Count the records with x ratings, with at least x, for x = 1..``most``.

    And the most of a record.

    Implements [NS08, Figs 2-3]. Their text says "at least X ratings", their captions "X ratings";
    the argument, that uniformly drawn people would make the curve fall, is about the latter.
    """
    number = np.diff(table.indptr)
    largest = int(number.max(initial=0))
    counts = np.bincount(number, minlength=max(most, largest) + 1).astype(np.int64)
    at_least = np.cumsum(counts[::-1])[::-1]
    return counts[1 : most + 1], at_least[1 : most + 1], largest


def outside_most_rated(
    table: RatingTable, tops: Sequence[int], at_least: Sequence[int]
) -> dict[int, dict[int, float]]:
    """Find how many records rate what not everybody rates [NS08, §5, table "Not in X most rated"].

    For so many of the most rated issues, which do not count (all where there are no more), and each
    number of other ratings, the share (0..1) of all records that have at least so many. Of issues
    with equally many ratings the first count as the more rated, as in ``not-top:X`` of
    :func:`ratingpriv.attack.draw`.
    """
    shares = {}
    for top in tops:
        others = np.zeros(table.n_records, dtype=np.int64)
        if top < table.n_issues:
            others = eligible_ratings(table, f"not-top:{top}")
        records = max(table.n_records, 1)
        shares[top] = {
            number: int(np.count_nonzero(others >= number)) / records for number in at_least
        }
    return shares


class ResidualBits(NamedTuple):
    """Bits that an adversary who knows one rating of a target still lacks, issue by issue;
    (q,) each.
    """

    rank: NDArray[np.int64]  # 1: the most rated issue; ties by position
    issue: NDArray[np.int64]  # its position in the table
    rated: NDArray[np.float64]  # known is that the target rated it: log2 |supp(i)|
    # the rating within an error: mean over raters t of log2 #{raters within}
    rating: NDArray[np.float64]
    # the date within an error instead; mean over raters with one, NaN without
    date: NDArray[np.float64]
    prior: float  # log2 n, the bits of somebody who knows nothing


def residual_bits(
    table: RatingTable,
    *,
    rating_error: float = 1.0,
    date_error: float | None = 14.0,
    ranks: Sequence[int] | None = None,
) -> ResidualBits:
    """Find the bits still lacking after one known rating, by popularity rank; None: all ``ranks``.

    Our reading of [NS08, Fig. 7], whose "entropy" is not defined: the bits that are still lacking,
    not those that were gained. Ratings are compared as decimals, dates by days, unless
    ``date_error`` is None. A rating without a date is within any number of days of none, as in Sim:
    whoever has one has fewer bits left to hide in.
    """
    low, high = proximate_codes(table.levels, rating_error)
    index = Index.of(table, dates=date_error is not None)
    order = np.argsort(-index.supports, kind="stable")
    order = order[: int(np.count_nonzero(index.supports))]
    rank = np.arange(1, len(order) + 1) if ranks is None else np.asarray(ranks)
    issues = order[rank - 1].astype(np.int64)
    by_rating, by_date = np.empty(len(rank)), np.full(len(rank), np.nan)
    for row, issue in enumerate(issues.tolist()):
        raters = slice(int(index.indptr[issue]), int(index.indptr[issue + 1]))
        codes = np.sort(index.codes[raters]).astype(np.int64)
        by_rating[row] = _mean_bits(codes, low[codes], high[codes])
        if date_error is not None:
            when = index.when[raters]
            when = np.sort(
                when[when != index.span] if index.span else when[~np.isnan(when)]
            ).astype(np.float64)
            reach = date_error + INSTANT
            by_date[row] = _mean_bits(when, when - reach, when + reach)
    prior = math.log2(table.n_records) if table.n_records else 0.0
    return ResidualBits(rank, issues, np.log2(index.supports[issues]), by_rating, by_date, prior)


def _mean_bits(
    values: NDArray[np.generic], low: NDArray[np.generic], high: NDArray[np.generic]
) -> float:
    """Return the mean of log2 #{values within low..high}; ``values`` ascend,
    each is within its own.
    """
    if len(values) == 0:
        return math.nan
    within = np.searchsorted(values, high, side="right") - np.searchsorted(values, low, side="left")
    return float(np.log2(within).mean())
