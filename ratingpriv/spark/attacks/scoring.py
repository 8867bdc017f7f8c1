"""Attacks on a part of the records at a time [NS08, §4]: Arrow batches in, what can be added up out.

A task has some of the records, whole ones, and scores them for every target with the kernels of
:mod:`ratingpriv.attack`: a score depends on the record, on what is known and on how many records of *all*
rate each issue, which the driver counted. What is kept of a target's scores (:class:`Partial`) is the best
few, how many there are, and their sum and sum of squares without rounding; two parts make the same one in
whatever order (:func:`merge`). Entropies need the highest score and σ of all first: a second pass, of the
same form (:func:`spread`).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ratingpriv.attack.algorithms._scores import stand
from ratingpriv.attack.algorithms.driver import Scoring, arrays_of, work_of
from ratingpriv.attack.algorithms.index import Index
from ratingpriv.attack.algorithms.methods import scoring_of
from ratingpriv.attack.knowledge.auxiliary import Auxiliary
from ratingpriv.spark.attacks import exact_sums
from ratingpriv.spark.groups.runs import whole_runs
from ratingpriv.spark.session.refusals import refusal
from ratingpriv.table import Origin, RatingTable, Scale

__all__ = [
    "Attack",
    "Layout",
    "Partial",
    "Question",
    "Records",
    "Sharpness",
    "Spread",
    "merge",
    "part_index",
    "partials_of",
    "records_of_long",
    "records_of_wide",
    "schema",
    "score",
    "spread",
    "spread_schema",
    "spreads_of",
]

_CHANGED = "keep the data as they are while they are attacked"


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """One way to score every target.

    Attributes
    ----------
    algorithm, options : "scoreboard" or "scoreboard-rh", whose scores all algorithms go by, with its options
    absent : whether each target's own record is taken out
    weights : float64 (M,); what the issue of each known rating weighs, by all records
    own_scores : float64 (T,); the score of each target's own record, NaN where it is no candidate
    parameters : the algorithm's, as they are told
    """

    algorithm: str
    options: Mapping[str, Any]
    absent: bool
    weights: NDArray[np.float64]
    own_scores: NDArray[np.float64]
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """How records are read.

    Attributes
    ----------
    issues : names of the p issues; rows with other positions are not compared
    levels : float64, ascending; every rating that occurs
    scale : the Scale, or None
    whole_ids : whether ids are whole numbers: of equals the smallest comes first, else by code points
    rows : so many ratings are scored together, about: what a task's memory is bounded by
    """

    issues: tuple[str, ...]
    levels: NDArray[np.float64]
    scale: Scale | None
    whole_ids: bool = False
    rows: int = 1 << 21

    @property
    def id_type(self) -> Any:
        """The Arrow type of ids."""
        return pa.int64() if self.whole_ids else pa.string()


@dataclass(frozen=True, slots=True, eq=False)
class Attack:
    """All that a task has to know beside its records.

    Attributes
    ----------
    layout : how records are read
    known : what is known of T targets; its ``targets`` are -1 where a target has no record, else any number
    own : Arrow array (T,); the id of each target's own record, null where it has none
    questions : how every target is scored
    top : how many best candidates are kept of each
    """

    layout: Layout
    known: Auxiliary
    own: Any
    questions: tuple[Question, ...]
    top: int

    @property
    def room(self) -> int:
        """How many best candidates are kept, two at least: the second best is needed too."""
        return max(self.top, 2)


@dataclass(frozen=True, slots=True)
class Sharpness:
    """What the second pass has to know of one question and target: x = (score · inverse - 1) · steepness."""

    inverse: float
    steepness: float


@dataclass(frozen=True, slots=True)
class Spread:
    """Σ e^x and Σ -x e^x over all scores above 0 of one question and target, without rounding."""

    whole: Fraction
    product: Fraction


@dataclass(slots=True)
class Partial:
    """What some of the records answered to one question about one target.

    Attributes
    ----------
    candidates : how many of them could be the target
    scored : how many score above 0 (Scoreboard: are in the matching set)
    least : the least of those scores; inf without any
    total, squares : sums of those scores, see :mod:`ratingpriv.spark.attacks.exact_sums`
    better, equal : how many score above the target's own record, and how many as it does, itself included
    best : the best of them as (-score, id), ascending
    """

    candidates: int = 0
    scored: int = 0
    least: float = math.inf
    total: int = 0
    squares: int = 0
    better: int = 0
    equal: int = 0
    best: tuple[tuple[float, Any], ...] = ()

    def add(self, other: Partial, room: int) -> None:
        """Add what other records answered."""
        self.candidates += other.candidates
        self.scored += other.scored
        self.least = min(self.least, other.least)
        self.total += other.total
        self.squares += other.squares
        self.better += other.better
        self.equal += other.equal
        self.best = tuple(sorted((*self.best, *other.best))[:room])


def schema(id_type: Any) -> Any:
    """Return the Arrow schema of what :func:`score` and :func:`merge` give: a row a question and target."""
    return pa.schema(
        [
            ("question", pa.int32()),
            ("target", pa.int32()),
            ("candidates", pa.int64()),
            ("scored", pa.int64()),
            ("least", pa.float64()),
            ("total", pa.binary()),
            ("squares", pa.binary()),
            ("better", pa.int64()),
            ("equal", pa.int64()),
            ("ids", pa.list_(id_type)),
            ("scores", pa.list_(pa.float64())),
        ]
    )


def spread_schema() -> Any:
    """Return the Arrow schema of what :func:`spread` gives."""
    return pa.schema(
        [
            ("question", pa.int32()),
            ("target", pa.int32()),
            ("whole", pa.binary()),
            ("product", pa.binary()),
        ]
    )


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Some whole records: their ids (Arrow array, distinct) and their ratings."""

    ids: Any
    table: RatingTable


def records_of_long(batches: Iterable[Any], layout: Layout) -> Iterator[Records]:
    """Read records from batches of ratings (:func:`ratingpriv.spark.plan.long_schema`).

    Rows of one record come one after the other; where dates count, there is a column ``when``, too. A null
    rating says that the record is there, and so do rows of what is not compared: positions from p on.

    Raises
    ------
    ParameterError
        A record rates an issue twice, or with what was no rating of the data when they were counted.
    """
    for rows in whole_runs(batches, "record", layout.rows):
        encoded = rows.column("record").combine_chunks().dictionary_encode()
        owner = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
        issue = pc.fill_null(rows.column("issue"), -1).to_numpy().astype(np.int64)
        rated = np.asarray(pc.is_valid(rows.column("rating")).to_numpy(), dtype=bool)
        kept = np.flatnonzero(rated & (issue >= 0) & (issue < len(layout.issues)))
        columns = issue[kept]
        order = np.lexsort((columns, owner[kept]))
        kept, columns = kept[order], columns[order]
        owners = owner[kept]
        if np.any((np.diff(owners) == 0) & (np.diff(columns) == 0)):
            remedy = "keep one of the two"
            raise refusal("the data", "an issue twice in one record", "every issue once a record", remedy)
        ratings = rows.column("rating").take(kept)
        when = None if "when" not in rows.column_names else rows.column("when").take(kept)
        ids = pc.cast(encoded.dictionary, layout.id_type)
        counts = np.bincount(owners, minlength=len(ids))
        yield Records(ids, _table(layout, counts, columns, _floats(ratings), when))


def records_of_wide(batches: Iterable[Any], layout: Layout) -> Iterator[Records]:
    """Read records from batches of one row a record (:func:`ratingpriv.spark.plan.wide_schema`)."""
    width = len(layout.issues)
    rows = max(1, layout.rows // max(width, 1))
    for batch in batches:
        for first in range(0, batch.num_rows, rows):
            part = batch.slice(first, rows)
            values = np.stack([_floats(part.column(f"c{place}")) for place in range(width)], axis=1)
            owners, columns = np.nonzero(~np.isnan(values))
            counts = np.bincount(owners, minlength=part.num_rows)
            yield Records(
                pc.cast(part.column("record"), layout.id_type),
                _table(layout, counts, columns, values[owners, columns], None),
            )


def score(records: Iterable[Records], attack: Attack) -> Iterator[Any]:
    """Score all records for every question and target; give a batch of :func:`schema`."""
    found: dict[tuple[int, int], Partial] = {}
    for part in records:
        # of equals the first by id comes first: whole numbers as numbers, texts by code points
        rank = np.empty(len(part.ids), dtype=np.int64)
        rank[pc.sort_indices(part.ids).to_numpy()] = np.arange(len(part.ids))
        for number, question in enumerate(attack.questions):
            for target, candidates, touched, scores in _scored(part, attack, question):
                one = Partial(candidates, len(touched))
                own = float(question.own_scores[target])
                if len(touched):
                    one.least = float(scores.min())
                    one.total = exact_sums.total(scores)
                    one.squares = exact_sums.squares(scores)
                    one.best = _best(part.ids, rank, touched, scores, attack.room)
                    if own >= 0.0:
                        one.better, one.equal = (int(count) for count in stand(own, scores))
                found.setdefault((number, target), Partial()).add(one, attack.room)
    yield _batch(found, attack)


def merge(batches: Iterable[Any], attack: Attack) -> Iterator[Any]:
    """Add up what several tasks found; give a batch of :func:`schema`."""
    yield _batch(partials_of(batches, attack.room), attack)


def partials_of(batches: Iterable[Any], room: int) -> dict[tuple[int, int], Partial]:
    """Return what batches of :func:`schema` hold, added up, by question and target."""
    found: dict[tuple[int, int], Partial] = {}
    for batch in batches:
        for row in batch.to_pylist():
            one = Partial(
                row["candidates"], row["scored"], row["least"], exact_sums.of_bytes(row["total"]),
                exact_sums.of_bytes(row["squares"]), row["better"], row["equal"],
                tuple(zip((-value for value in row["scores"]), row["ids"], strict=True)),
            )  # fmt: skip
            found.setdefault((row["question"], row["target"]), Partial()).add(one, room)
    return found


def spread(
    records: Iterable[Records], attack: Attack, sharpness: Mapping[tuple[int, int], Sharpness]
) -> Iterator[Any]:
    """Add up e^x and -x e^x over all scores; give a batch of :func:`spread_schema`.

    Parameters
    ----------
    sharpness : of the questions and targets that are looked at
    """
    found: dict[tuple[int, int], list[int]] = {}
    numbers = sorted({number for number, _ in sharpness})
    for part in records:
        for number in numbers:
            for target, _, touched, scores in _scored(part, attack, attack.questions[number]):
                how = sharpness.get((number, target))
                if how is None or not len(touched):
                    continue
                x = np.minimum((scores * how.inverse - 1.0) * how.steepness, 0.0)
                parts = np.exp(x)
                sums = found.setdefault((number, target), [0, 0])
                sums[0] += exact_sums.total(parts)
                sums[1] += exact_sums.total(-x * parts)
    keys = list(found)
    yield pa.record_batch(
        [
            pa.array([number for number, _ in keys], pa.int32()),
            pa.array([target for _, target in keys], pa.int32()),
            pa.array([exact_sums.as_bytes(found[key][0]) for key in keys], pa.binary()),
            pa.array([exact_sums.as_bytes(found[key][1]) for key in keys], pa.binary()),
        ],
        schema=spread_schema(),
    )


def spreads_of(batches: Iterable[Any]) -> dict[tuple[int, int], Spread]:
    """Return what batches of :func:`spread_schema` hold, added up, by question and target."""
    found: dict[tuple[int, int], list[int]] = {}
    for batch in batches:
        for row in batch.to_pylist():
            sums = found.setdefault((row["question"], row["target"]), [0, 0])
            sums[0] += exact_sums.of_bytes(row["whole"])
            sums[1] += exact_sums.of_bytes(row["product"])
    unit = 1 << exact_sums.UNIT
    return {
        key: Spread(Fraction(whole, unit), Fraction(product, unit)) for key, (whole, product) in found.items()
    }


def _scored(
    part: Records, attack: Attack, question: Question
) -> Iterator[tuple[int, int, NDArray[np.int32], NDArray[np.float64]]]:
    """Score some records: give of each target its number, the candidates, who scores above 0, and how."""
    scoring = _scoring(part, attack, question)
    lists, targets = arrays_of(scoring.index, scoring.auxiliary)
    targets = targets._replace(weights=question.weights)
    work = work_of(lists, attack.top, stages=scoring.stages)
    for target in range(attack.known.n_targets):
        count = scoring.score(lists, targets, target, work)
        touched = work.touched[:count].copy()
        scores = work.score[touched]
        work.score[touched] = 0.0
        if scoring.stages:
            work.stage[touched] = 0
        yield target, int(targets.candidates[target]), touched, scores


def _scoring(part: Records, attack: Attack, question: Question) -> Scoring:
    """Return an algorithm ready to score these records."""
    own = pc.index_in(attack.own, value_set=part.ids)
    here = pc.if_else(pc.is_valid(attack.own), pc.fill_null(own, -1), -1)
    known = dataclasses.replace(
        attack.known, targets=np.array(here.to_numpy(), dtype=np.int64), absent=question.absent
    )
    return scoring_of(question.algorithm, part_index(part.table, known), known, question.options)


def part_index(table: RatingTable, known: Auxiliary) -> Index:
    """Invert a part of the data; where it has dates and none is of these ratings, all of them are null."""
    stamps = table.timestamps
    if stamps is None or not known.dated:
        return Index.of(table, dates=False)
    if stamps.null_count() < len(stamps):
        return Index.of(table, dates=True)
    nulls = np.full(max(table.n_ratings, 1), np.nan)
    return dataclasses.replace(Index.of(table, dates=False), when=nulls)


def _table(
    layout: Layout,
    counts: NDArray[np.int64],
    issues: NDArray[np.int64],
    ratings: NDArray[np.float64],
    when: Any,
) -> RatingTable:
    codes = np.searchsorted(layout.levels, ratings)
    inside = np.minimum(codes, len(layout.levels) - 1)
    if len(ratings) and not np.array_equal(layout.levels[inside], ratings):
        found, expected = "a rating that nobody had before", "the ratings that were counted"
        raise refusal("the data", found, expected, _CHANGED)
    return RatingTable(
        record_ids=pl.Series(np.arange(len(counts))),
        issues=layout.issues,
        indptr=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        indices=issues.astype(np.int32),
        codes=codes.astype(np.min_scalar_type(max(len(layout.levels) - 1, 0))),
        levels=layout.levels,
        scale=layout.scale,
        sensitive=(),
        timestamps=None if when is None else pl.Series(pl.from_arrow(when)),
        origin=Origin("spark"),
    )


def _floats(column: Any) -> NDArray[np.float64]:
    """Return numbers as float64, NaN where null; -0.0 as 0.0."""
    values = pc.fill_null(pc.cast(column, pa.float64()), math.nan)
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float64) + 0.0


def _best(
    ids: Any, rank: NDArray[np.int64], touched: NDArray[np.int32], scores: NDArray[np.float64], room: int
) -> tuple[tuple[float, Any], ...]:
    """Return the best as (-score, id): by score, then by id."""
    if len(scores) > room:
        least = np.partition(scores, len(scores) - room)[len(scores) - room]
        high = scores >= least
        touched, scores = touched[high], scores[high]
    order = np.lexsort((rank[touched], -scores))[:room]
    named = ids.take(touched[order]).to_pylist()
    return tuple(zip((-scores[order]).tolist(), named, strict=True))


def _batch(found: Mapping[tuple[int, int], Partial], attack: Attack) -> Any:
    rows = list(found.values())
    return pa.record_batch(
        [
            pa.array([number for number, _ in found], pa.int32()),
            pa.array([target for _, target in found], pa.int32()),
            pa.array([one.candidates for one in rows], pa.int64()),
            pa.array([one.scored for one in rows], pa.int64()),
            pa.array([one.least for one in rows], pa.float64()),
            pa.array([exact_sums.as_bytes(one.total) for one in rows], pa.binary()),
            pa.array([exact_sums.as_bytes(one.squares) for one in rows], pa.binary()),
            pa.array([one.better for one in rows], pa.int64()),
            pa.array([one.equal for one in rows], pa.int64()),
            pa.array([[name for _, name in one.best] for one in rows], pa.list_(attack.layout.id_type)),
            pa.array([[-value for value, _ in one.best] for one in rows], pa.list_(pa.float64())),
        ],
        schema=schema(attack.layout.id_type),
    )
