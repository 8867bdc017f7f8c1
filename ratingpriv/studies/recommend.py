"""``ratingpriv.recommend``: what each k, ε and method costs on data, and what it leaves to an adversary.

Every (k, ε) of a small grid is made by every method and measured, with fronts; it is no verdict.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from ratingpriv.anonymize.methods import METHODS
from ratingpriv.attack.studies import TARGETS
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.display import Displayed
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.documents import recommend as documents
from ratingpriv.documents.making import document_of
from ratingpriv.proximity.remaining import Neighbours, Remaining, take_the_core
from ratingpriv.studies.cells import COLUMNS, Cell, Plan, Rows, run_cells, tidy_frame
from ratingpriv.studies.measuring import Measurer

if TYPE_CHECKING:
    import polars as pl

_COMPARED = tuple(name for name in METHODS if name != "blank")  # which has another target

MEASURES = ("audit", "distortion", "query_error", "exposure", "attack")
"""What is measured of every row: utility, and groups of :data:`ratingpriv.studies.measuring.GROUPS`."""

FRONT: tuple[tuple[documents.FrontColumn, str], ...] = (
    ("max_k", "more"),
    ("records_suppressed", "less"),
    ("ratings_kept", "more"),
    ("query_error", "less"),
    ("exposure_expected", "less"),
    ("attack_success", "less"),
    ("profile_disclosed", "less"),
)
"""The columns that fronts are of, and whether more or less of each is better."""

MOST = 0.05
"""Steps are listed up to this share of the records suppressed (one, if that is more), and a step further."""

_K = (5, 10, 20)
_EPSILONS = 4
_DATA, _ATTACK = "data", "default"


@dataclass(frozen=True, slots=True)
class Option:
    """One release that could be made; ``reason``: why not, empty where one was.

    ``measures`` are for each of :data:`ratingpriv.studies.measuring.GROUPS` its value, low, high, original,
    worthless and reason. ``front``: whether no other row of this ε beats it in the columns of the front; None
    where that cannot be said: there is no release, or a column was not measured. ``from_journal``:
    whether its numbers were read from the journal.
    """

    method: str
    k: int
    epsilon: float
    l: float | None  # noqa: E741 -- the theory's word
    measures: Mapping[str, Mapping[str, Any]]
    reason: str
    front: bool | None = None
    from_journal: bool = False

    def value(self, measure: str) -> float | None:
        """Return the value of a measure; None where there is none."""
        value: float | None = self.measures.get(measure, {}).get("value")
        return value


@dataclass(frozen=True, slots=True)
class Recommendation(Displayed):
    """What :func:`ratingpriv.recommend` found: costs, and what is left to an adversary. It is no verdict.

    Attributes
    ----------
    epsilons : every distance that was considered, and why some have no rows
    suppression : for each distance the fewest records to suppress for every k
    options : the rows
    fronts : what their fronts are of, one an ε
    notes : what to know before relying on it, a sentence each
    rows : the same as a tidy table, by the columns of :data:`ratingpriv.studies.cells.COLUMNS` and ``front``
    """

    dataset: TableDescription
    parameters: Mapping[str, Any]
    epsilons: tuple[documents.RecommendEpsilon, ...]
    suppression: tuple[documents.SuppressionCost, ...]
    options: tuple[Option, ...]
    fronts: tuple[documents.Front, ...]
    notes: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract ``ratingpriv.recommend/1``."""
        return document_of(documents.Recommendation, self, selection=self.dataset.selection)

    def __repr__(self) -> str:
        return f"<Recommendation on {self.dataset.name!r}: {len(self.options)} options, no verdict>"

    def to_frame(self) -> pl.DataFrame:
        """Return ``rows``: the tidy table with a row for each measure (and attack) of each release.

        Columns and types are those of :meth:`ratingpriv.studies.experiment.Experimented.to_frame`, and
        ``front`` (Boolean).
        """
        return tidy_frame(self.rows, (*COLUMNS, "front"))


@checks.takes_random_state
@takes_frames
def recommend(
    table: TableLike,
    *,
    k: int | Sequence[int] | None = None,
    epsilon: float | Sequence[float] | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    method: str | Sequence[str] | None = None,
    exposure: float | None = None,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    journal: str | Path | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    on_resume: Callable[[int, int], None] | None = None,
    on_row: Callable[[int, int, Option | None], None] | None = None,
    **columns: Unpack[ColumnWords],
) -> Recommendation:
    """Measure what each (k, ε) costs by each method, and what it leaves to an adversary [ours].

    A release is made in memory for every row and measured: records suppressed, ratings kept, query error,
    expected and worst exposure, success of the strongest attack. On the front of an ε is what no other row of
    that ε beats in the columns of FRONT, by their values, whatever their intervals. Nothing of this is a
    verdict, and a row on a front need not be fit to be released.

    Beside the rows, for each ε and every k the fewest records that have to be suppressed, exact
    (:func:`staircase`).

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    k : one or several; None: 5, 10 and 20 (2 below that), and by suppression, for each ε, the k of the first
        knee too
    epsilon : one or several distances; None: those at which anything changes and that protect, or four of
        them, spread out. One that protects nothing has a reason instead of rows
    l : the SD that every sensitive issue shall have; None asks for none
    method : one or several of "modify", "suppress" and "predictive"; None: all
    exposure : E, the error of knowledge; None: the row's ε
    nulls, sensitive_nulls : as for :func:`ratingpriv.anonymize`
    rng : seed, or a generator that one is drawn from; rows do not depend on which others there are
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    journal : where finished rows are kept, so that a run that was interrupted goes on
    threads, memory, progress : as for :func:`ratingpriv.anonymize`
    on_resume : called with (rows that are finished, rows in all) where the journal has some
    on_row : called with (rows that were measured, rows to be measured, the last one) as they come; first with
        none, before anything is measured

    Raises
    ------
    ParameterError
        An argument is out of range, or does not fit the data.
    OutputError
        The journal is of something else; see :func:`ratingpriv.studies.cells.journal_at`.
    """
    rules = {"l": l, "nulls": nulls, "sensitive_nulls": sensitive_nulls}
    parameters = check_parameters(k=k, epsilon=epsilon, method=method, exposure=exposure, rng=rng, **rules)
    if on_row is not None:
        checks.function("on_row", on_row)
    resources = Resources(threads, memory, progress)
    target = Target(k=1, epsilon=0.0, l=l)
    target.check_data(table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive))
    considered, notes = _considered(table, parameters, resources)
    epsilons = [distance.epsilon for distance in considered if not distance.reason]
    stairs = tuple(staircase(table, distance, parameters["nulls"], resources) for distance in epsilons)
    usual = [size for size in _K if size <= table.n_records] or [min(2, table.n_records)]
    cells = []
    for stair, name in itertools.product(stairs, parameters["method"]):
        sizes = set(parameters["k"] or usual)
        if name == "suppress" and parameters["k"] is None and l is None:
            sizes.update(knee.k for knee in stair.knees[:1])
        cells += [Cell(_DATA, name, size, stair.epsilon, parameters["l"]) for size in sorted(sizes)]
    plan = Plan(
        methods={name: (name, {}) for name in parameters["method"]},
        attacks={_ATTACK: {}},
        measures=MEASURES,
        **{name: parameters[name] for name in ("exposure", "nulls", "sensitive_nulls", "seed")},
    )

    def tell(done: int, cell: Cell | None, rows: Rows) -> None:
        if on_row is not None:
            on_row(done, len(cells), None if cell is None else _option(cell, rows))

    tell(0, None, ())
    measured, taken = run_cells(
        cells,
        {_DATA: table},
        Measurer(_DATA, table, plan, resources).rows,
        asked={**dataclasses.asdict(plan), **parameters},
        journal=journal,
        resources=resources,
        on_resume=on_resume,
        on_cell=tell,
    )
    options = [
        dataclasses.replace(_option(cell, rows), from_journal=cell in taken)
        for cell, rows in measured.items()
    ]
    fronts = tuple(_front(distance, options) for distance in epsilons)
    return Recommendation(
        dataset=TableDescription.of(table),
        parameters=parameters,
        epsilons=considered,
        suppression=stairs,
        options=tuple(options),
        fronts=fronts,
        notes=notes,
        rows=tuple(
            {**row, "data": table.origin.name, "front": option.front}
            for option, rows in zip(options, measured.values(), strict=True)
            for row in rows
        ),
    )


def estimated_seconds(table: RatingTable, methods: Sequence[str], rows: int) -> float:
    """Return about how long so many rows take: a guess, right to a factor of some five [measured].

    A row costs a third of a second, and its attacks what every target and every rating cost; changing ratings
    is ten times as dear. Ten seconds more go by where kernels have to be compiled.
    """
    each = min(table.n_records, TARGETS) * table.n_ratings / 5e7
    dear = sum(10 if name == "modify" else 1 for name in methods) / max(1, len(methods))
    return 10 + rows * (0.3 + dear * each)


def check_parameters(
    *, k: Any = None, epsilon: Any = None, method: Any = None, exposure: Any = None, rng: Any, **rules: Any
) -> dict[str, Any]:
    """Return the parameters of :func:`recommend` as JSON's own types, checked; worth doing before reading.

    ``rules`` are ``l``, ``nulls`` and ``sensitive_nulls``. ParameterError for the first that is out of range.
    """
    target = Target(k=1, epsilon=0.0, **rules)
    sizes = sorted({checks.whole_number("k", value, 1) for value in _several("k", k)})
    distances = {checks.non_negative_number("epsilon", value) for value in _several("epsilon", epsilon)}
    names = [checks.choice("method", name, _COMPARED) for name in _several("method", method) or _COMPARED]
    return {
        "k": sizes or None,
        "epsilon": sorted(distances) or None,
        "l": target.l,
        "method": list(dict.fromkeys(names)),
        "exposure": None if exposure is None else checks.non_negative_number("exposure", exposure),
        "nulls": target.nulls,
        "sensitive_nulls": target.sensitive_nulls,
        "seed": checks.seed_from(rng),
    }


def _several(name: str, given: Any) -> Sequence[Any]:
    """Return one value or several as a list; None is none."""
    listed = [] if given is None else checks.several(given)
    if listed == [] and given is not None:
        raise ParameterError(name, "none", f"at least one, or no `{name}` at all")
    return [given] if listed is None else listed


def _considered(
    table: RatingTable, parameters: Mapping[str, Any], resources: Resources
) -> tuple[tuple[documents.RecommendEpsilon, ...], tuple[str, ...]]:
    """Return the distances with what holds as the data are, those without rows with the reason; and notes."""
    nulls = parameters["nulls"]
    bounds = frontier(
        table, epsilon=parameters["epsilon"], partition=False, nulls=nulls, rows=25, **resources.keywords
    )
    useless = next((caution.message for caution in bounds.cautions if caution.code == "no-protection"), "")
    reasons = {row.epsilon: "" if row.protection else useless for row in bounds.rows}
    good = [epsilon for epsilon, reason in reasons.items() if not reason]
    if parameters["epsilon"] is None:
        # a few of those that protect, spread over all of them
        if len(good) > _EPSILONS:
            chosen = {good[round(place)] for place in np.linspace(0, len(good) - 1, _EPSILONS)}
            others = (epsilon for epsilon in good if epsilon not in chosen)
            reasons |= dict.fromkeys(others, "not chosen: name it with `epsilon` to have it")
    elif (distances := Candidates(table, nulls).listed(10_000)) is not None:
        # none at which nothing changes against a smaller one
        smaller: dict[float, float] = {}
        for epsilon in good:
            step = max((distance for distance in distances if distance <= epsilon), default=0.0)
            if step in smaller:
                reasons[epsilon] = f"the same as epsilon {smaller[step]:g}: no two ratings are that far apart"
            smaller.setdefault(step, epsilon)
    considered = (
        documents.RecommendEpsilon(row.epsilon, row.max_k, row.singletons, reasons[row.epsilon])
        for row in bounds.rows
    )
    return tuple(considered), tuple(caution.message for caution in bounds.cautions)


def _option(cell: Cell, rows: Rows) -> Option:
    measures = {row["measure"]: {name: row[name] for name in COLUMNS[8:]} for row in rows}
    reason = measures.pop("feasible")["reason"]
    return Option(cell.method, cell.k, cell.epsilon, cell.l, measures, reason)


def _front(epsilon: float, options: list[Option]) -> documents.Front:
    """Return what the front of one ε is of; those of ``options`` that are compared get to know of it."""
    made = [row for row, one in enumerate(options) if one.epsilon == epsilon and not one.reason]
    columns = [
        (name, -1 if better == "more" else 1)
        for name, better in FRONT
        if any(options[row].value(name) is not None for row in made)
    ]
    points = {}
    for row in made:
        values = [(options[row].value(name), sign) for name, sign in columns]
        point = [sign * value for value, sign in values if value is not None]
        if len(point) == len(columns):
            points[row] = point
    for row, on_front in zip(points, pareto_front(list(points.values())), strict=True):
        options[row] = dataclasses.replace(options[row], front=on_front)
    return documents.Front(epsilon, [name for name, _ in columns], len(points))


def pareto_front(rows: Sequence[Sequence[float]]) -> list[bool]:
    """Return for each row whether no other one is at least as good in every column and better in one.

    Less is better in all columns. Rows that are equal in all of them are on the front together, or none is.
    """
    points = np.array(rows, dtype=np.float64)
    beaten = [(points <= row).all(axis=1) & (points < row).any(axis=1) for row in points]
    return [not bool(others.any()) for others in beaten]


def staircase(
    table: RatingTable, epsilon: float, nulls: str, resources: Resources, *, most: float = MOST
) -> documents.SuppressionCost:
    """Return the fewest records to suppress for every k, up to the share ``most``, and a step more.

    Suppressing records until everybody left has k neighbours leaves the (k-1)-core, the only largest part
    that will do (:mod:`ratingpriv.anonymize.suppression.suppress`). The cores are nested, so peeling once, k
    after k, gives the fewest suppressed records for *every* k, exactly. A single record far from everybody
    can hold k at 1 for all: such steps, little suppressed and much k gained, are the knees, vertices of the
    concave hull of k over the suppressed records. No knee is the first step (nothing is suppressed), nor,
    where more would follow, the last one, which is beyond the limit.
    """
    limit = max(1, int(most * table.n_records))
    target = Target(k=1, epsilon=epsilon, nulls=nulls)
    remaining = Remaining(Neighbours(table, target, resources, sensitive=False))
    steps: list[documents.SuppressionStep] = []
    while remaining.alive.any():
        k = int(remaining.sizes[remaining.alive].min())
        steps.append(documents.SuppressionStep(k, int(np.count_nonzero(~remaining.alive))))
        if steps[-1].suppressed > limit:
            break
        take_the_core(remaining, k + 1, lambda gone: resources.report("suppressing records", gone, None))
    knees = [step for step in knees_of(steps) if step.suppressed <= limit]
    return documents.SuppressionCost(target.epsilon, steps, not remaining.alive.any(), knees)


def knees_of(steps: Sequence[documents.SuppressionStep]) -> tuple[documents.SuppressionStep, ...]:
    """Return the vertices of the upper concave hull of k over suppressed records, without the first."""
    hull: list[documents.SuppressionStep] = []
    for step in steps:
        while len(hull) > 1:
            first, middle = hull[-2:]
            gained = (middle.k - first.k) * (step.suppressed - first.suppressed)
            if gained > (step.k - first.k) * (middle.suppressed - first.suppressed):
                break  # it is above the line from the first to the last; in whole numbers, exact
            hull.pop()
        hull.append(step)
    return tuple(hull[1:])
