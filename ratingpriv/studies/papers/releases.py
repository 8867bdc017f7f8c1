"""The releases that figures of utility are made of: by the paper's method and by our default."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.anonymize.methods import anonymize
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.numbers import in_full
from ratingpriv.data.table import RatingTable, SensitiveColumn
from ratingpriv.studies.papers.data import genders_of, most_rated, table_of
from ratingpriv.studies.papers.figure import Setting
from ratingpriv.utility.pair import Pair
from ratingpriv.utility.tables import worthless

if TYPE_CHECKING:
    import polars as pl

__all__ = ["METHODS", "genders", "original", "release", "released", "unchanged", "without_worth"]

METHODS: dict[str, dict[str, Any]] = {
    "paper": {"strategy": "paper"},
    "ours": {},
}
"""The options of "modify" for each: the paper's grouping and strategy [SWLP10, §4.4-4.5], and our default."""

_EXTRAVERSION = tuple(f"E{number}" for number in range(1, 11))


def original(name: str, records: int, percent: float, setting: Setting) -> RatingTable:
    """Return the first ``percent`` of up to ``records`` records in one random order, with a random income.

    Of ml-100k the 20 most rated films, of big5 the ten items of extraversion. Ids, and so draws by id, stay.
    """
    key = ("original", name, records, percent)
    if key not in setting.kept:
        table = table_of(name, setting)
        chosen = _chosen(name, records, percent, setting)
        income = setting.stream("income", name).integers(1, 6, table.n_records)[chosen]
        column = SensitiveColumn("income", income.astype(np.float64), np.ones(len(chosen), dtype=bool))
        table = table.select_issues(_EXTRAVERSION) if name == "big5" else most_rated(name, table)
        setting.kept[key] = table.take(chosen).replace(sensitive=(column,))
    found: RatingTable = setting.kept[key]
    return found


def genders(name: str, records: int, setting: Setting) -> pl.Series | None:
    """Return the gender of each record of :func:`original`, all of it; None where nothing says it."""
    known = genders_of(name, setting) if name in setting.data else None
    if known is None:
        return None
    return known.gather(_chosen(name, records, 100.0, setting)).rename("gender")


def _chosen(name: str, records: int, percent: float, setting: Setting) -> NDArray[np.int64]:
    order = setting.stream("order", name).permutation(table_of(name, setting).n_records)[:records]
    first: NDArray[np.int64] = order[: math.ceil(percent / 100 * len(order))].astype(np.int64)
    return first


def release(
    name: str, method: str, k: int, epsilon: float, setting: Setting, *, records: int, percent: float = 100.0
) -> Pair | None:
    """Return an original beside its release, made once a run; None where the target was not reached."""
    key = ("release", name, method, k, epsilon, records, percent)
    if key not in setting.kept:
        setting.resources.report(
            f"anonymising {name}: {method}, k = {k}, epsilon = {in_full(epsilon)}", 0, None
        )
        setting.kept[key] = released(original(name, records, percent, setting), method, k, epsilon, setting)
    found: Pair | None = setting.kept[key]
    return found


def released(table: RatingTable, method: str, k: int, epsilon: float, setting: Setting) -> Pair | None:
    """Return a table beside its release by one of METHODS; None where the target was not reached."""
    try:
        made = anonymize(
            table, "modify", k=k, epsilon=epsilon, rng=setting.seed, threads=setting.threads,
            memory=setting.memory, **METHODS[method],
        )  # fmt: skip
    except TargetNotReachedError:
        return None
    return Pair(table, made.table, made.pairing, "ids")


def unchanged(pair: Pair) -> bool:
    """Return whether a release has every rating of its original and no other: nothing had to be done."""
    before, after = pair.original, pair.release
    return before.n_ratings == after.n_ratings and all(
        np.array_equal(getattr(before, name), getattr(after, name))
        for name in ("indptr", "indices", "values")
    )


def without_worth(pair: Pair, setting: Setting) -> tuple[Pair, Pair]:
    """Return the original beside itself, and beside a worthless release."""
    itself = np.arange(pair.original.n_records, dtype=np.int64)
    same = Pair(pair.original, pair.original, itself, "ids")
    lost = worthless(pair.original, setting.stream("worthless"))
    return same, Pair(pair.original, lost, itself, "ids")
