"""``ratingpriv.recommend``: every (k, ε) of a small grid by every method, measured, with fronts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from ratingpriv.anonymize.methods import METHODS
from ratingpriv.attack.studies import TARGETS
from ratingpriv.audit.frontier.candidates import Candidates
from ratingpriv.audit.frontier.frontier import frontier
from ratingpriv.audit.frontier.result import Frontier
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import Target
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.description import TableDescription
from ratingpriv.studies.experiment.cells import Cell, Plan
from ratingpriv.studies.experiment.experiment import COLUMNS, run_cells
from ratingpriv.studies.recommend.front import pareto_front
from ratingpriv.studies.recommend.result import FRONT, Considered, Front, Option, Recommendation
from ratingpriv.studies.recommend.staircase import Staircase, staircase

__all__ = ["MEASURES", "check_parameters", "estimated_seconds", "recommend"]

MEASURES = ("audit", "distortion", "query_error", "exposure", "attack")
"""What is measured of every row: utility, and groups of :data:`.measuring.GROUPS`."""

_K = (5, 10, 20)
_EPSILONS = 4
_DATA, _ATTACK = "data", "default"


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
    that ε beats in the columns of :data:`ratingpriv.studies.recommend.result.FRONT`, by their values,
    whatever their intervals. Nothing of this is a verdict, and a row on a front need not be fit to be
    released.

    Beside the rows, for each ε and every k the fewest records that have to be suppressed, exact
    (:mod:`ratingpriv.studies.recommend.staircase`).

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    k : one or several; None: 5, 10 and 20 (2 below that), and by suppression, for each ε, the k of the first
        knee too
    epsilon : one or several distances; None: those at which anything changes and that protect, or four of
        them, spread out. One that protects nothing has a reason instead of rows
    l : the SD that every sensitive issue shall have; None asks for none
    method : one or several of :data:`ratingpriv.anonymize.methods.METHODS`; None: all
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
        The journal is of something else; see :func:`ratingpriv.studies.experiment.journal.journal_at`.
    """
    asked = check_parameters(
        k=k, epsilon=epsilon, l=l, method=method, exposure=exposure, nulls=nulls,
        sensitive_nulls=sensitive_nulls, rng=rng,
    )  # fmt: skip
    resources = Resources(threads, memory, progress)
    target = Target(k=1, epsilon=0.0, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    target.check_data(table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive))
    considered, notes = _considered(table, asked, resources)
    epsilons = [one.epsilon for one in considered if not one.reason]
    stairs = tuple(staircase(table, one, asked["nulls"], resources) for one in epsilons)
    plan = Plan(
        methods={name: (name, {}) for name in asked["method"]},
        attacks={_ATTACK: {}},
        measures=MEASURES,
        exposure=asked["exposure"],
        nulls=asked["nulls"],
        sensitive_nulls=asked["sensitive_nulls"],
        seed=asked["seed"],
    )
    cells = tuple(_cells(table, asked, stairs))
    finished = 0

    def resumed(done: int, of: int) -> None:
        nonlocal finished
        finished = done
        if on_resume is not None:
            on_resume(done, of)

    def measured(cell: Cell, rows: Sequence[Mapping[str, Any]]) -> None:
        nonlocal finished
        finished += 1
        if on_row is not None:
            where = {"method": cell.method, "k": cell.k, "epsilon": cell.epsilon}
            on_row(finished, len(cells), _option(cell, [{**row, **where} for row in rows]))

    if on_row is not None:
        checks.function("on_row", on_row)
        on_row(0, len(cells), None)
    rows = run_cells(
        cells, {_DATA: table}, plan, asked={**plan.to_dict(), **asked}, journal=journal, resources=resources,
        on_resume=resumed, on_cell=measured,
    )  # fmt: skip
    options, fronts = _with_fronts([_option(cell, rows) for cell in cells], epsilons)
    on_front = {(one.method, one.k, one.epsilon): one.front for one in options}
    return Recommendation(
        dataset=TableDescription.of(table),
        parameters=asked,
        epsilons=considered,
        suppression=stairs,
        options=options,
        fronts=fronts,
        notes=notes,
        rows=tuple(
            {
                **row,
                "data": table.origin.name,
                "front": on_front[row["method"], row["k"], row["epsilon"]],
            }
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
    *,
    k: int | Sequence[int] | None = None,
    epsilon: float | Sequence[float] | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    method: str | Sequence[str] | None = None,
    exposure: float | None = None,
    nulls: str = "strict",
    sensitive_nulls: str = "paper",
    rng: int | np.random.Generator | None = 0,
) -> dict[str, Any]:
    """Return the parameters of :func:`recommend` as JSON's own types, checked; worth doing before reading.

    Raises
    ------
    ParameterError
        The first argument that is out of range.
    """
    target = Target(k=1, epsilon=0.0, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls)
    several = sorted({checks.whole_number("k", one, 1) for one in _several("k", k) or ()}) or None
    near = sorted({checks.non_negative_number("epsilon", one) for one in _several("epsilon", epsilon) or ()})
    names = [checks.choice("method", one, METHODS) for one in _several("method", method) or METHODS]
    return {
        "k": several,
        "epsilon": near or None,
        "l": target.l,
        "method": list(dict.fromkeys(names)),
        "exposure": None if exposure is None else checks.non_negative_number("exposure", exposure),
        "nulls": target.nulls,
        "sensitive_nulls": target.sensitive_nulls,
        "seed": checks.seed_from(rng),
    }


def _several(name: str, given: Any) -> Sequence[Any] | None:
    if given is None:
        return None
    listed = checks.several(given)
    found = [given] if listed is None else listed
    if not found:
        raise ParameterError(name, "none", f"at least one, or no `{name}` at all")
    return found


def _considered(
    table: RatingTable, asked: Mapping[str, Any], resources: Resources
) -> tuple[tuple[Considered, ...], tuple[str, ...]]:
    """Return the distances with what holds as the data are, those without rows with the reason; and notes."""
    found = frontier(
        table, epsilon=asked["epsilon"], partition=False, nulls=asked["nulls"], rows=25,
        threads=resources.threads, memory=resources.memory, progress=resources.progress,
    )  # fmt: skip
    notes = tuple(caution.message for caution in found.cautions)
    reasons = {row.epsilon: "" for row in found.rows}
    useless = next((one.message for one in found.cautions if one.code == "no-protection"), "")
    for row in found.rows:
        if not row.protection:
            reasons[row.epsilon] = useless
    if asked["epsilon"] is None:
        _spread(reasons)
    else:
        _same(Candidates(table, asked["nulls"]), reasons)
    return tuple(_as_they_are(found, reasons)), notes


def _as_they_are(found: Frontier, reasons: Mapping[float, str]) -> Iterator[Considered]:
    for row in found.rows:
        yield Considered(row.epsilon, row.max_k, row.singletons, reasons[row.epsilon])


def _spread(reasons: dict[float, str]) -> None:
    """Leave all but a few of the distances that protect out, those spread over all of them."""
    good = [epsilon for epsilon, reason in reasons.items() if not reason]
    if len(good) <= _EPSILONS:
        return
    chosen = {good[round(place)] for place in np.linspace(0, len(good) - 1, _EPSILONS)}
    for epsilon in good:
        if epsilon not in chosen:
            reasons[epsilon] = "not chosen: name it with `epsilon` to have it"


def _same(candidates: Candidates, reasons: dict[float, str]) -> None:
    """Leave out a distance at which nothing changes against a smaller one that is there."""
    listed = candidates.listed(10_000)
    if listed is None:
        return
    seen: dict[float, float] = {}
    for epsilon in [one for one, reason in reasons.items() if not reason]:
        at = max((one for one in listed if one <= epsilon), default=0.0)
        if at in seen:
            reasons[epsilon] = f"the same as epsilon {seen[at]:g}: no two ratings are that far apart"
        seen.setdefault(at, epsilon)


def _cells(table: RatingTable, asked: Mapping[str, Any], stairs: Sequence[Staircase]) -> Iterator[Cell]:
    usual = [k for k in _K if k <= table.n_records] or [min(2, table.n_records)]
    for stair in stairs:
        for method in asked["method"]:
            chosen = set(asked["k"] or usual)
            if method == "suppress" and asked["k"] is None and asked["l"] is None:
                chosen.update(knee.k for knee in stair.knees[:1])
            for k in sorted(chosen):
                yield Cell(_DATA, method, k, stair.epsilon, asked["l"])


def _option(cell: Cell, rows: Sequence[Mapping[str, Any]]) -> Option:
    own = [
        row
        for row in rows
        if (row["method"], row["k"], row["epsilon"]) == (cell.method, cell.k, cell.epsilon)
    ]
    reason = next(row["reason"] for row in own if row["measure"] == "feasible")
    measures = {
        row["measure"]: {name: row[name] for name in COLUMNS[8:]}
        for row in own
        if row["measure"] != "feasible"
    }
    return Option(cell.method, cell.k, cell.epsilon, cell.l, measures, reason)


def _with_fronts(
    options: Sequence[Option], epsilons: Sequence[float]
) -> tuple[tuple[Option, ...], tuple[Front, ...]]:
    """Return the options with their places, and what the fronts are of."""
    found, fronts = list(options), []
    for epsilon in epsilons:
        mine = [place for place, one in enumerate(options) if one.epsilon == epsilon and not one.reason]
        columns = [
            (name, better)
            for name, better in FRONT
            if any(options[place].value(name) is not None for place in mine)
        ]
        points = {}
        for place in mine:
            values = [(options[place].value(name), better) for name, better in columns]
            if all(value is not None for value, _ in values):
                points[place] = [
                    -value if better == "more" else value for value, better in values if value is not None
                ]
        for place, front in zip(points, pareto_front(list(points.values())), strict=True):
            found[place] = dataclasses.replace(options[place], front=front)
        fronts.append(Front(epsilon, tuple(name for name, _ in columns), len(points)))
    return tuple(found), tuple(fronts)
