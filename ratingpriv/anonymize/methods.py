"""The ways to make records anonymous, by name; each is loaded when it is called."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

import numpy as np

from ratingpriv.anonymize.result import Anonymized, Randomness
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.target import ReleaseTarget
from ratingpriv.data.codebook.table_like import TableLike, takes_frames
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.demands import DEMANDS


@dataclass(frozen=True, slots=True)
class Method:
    """A module whose ``make`` makes records anonymous, and ``options`` of its own,
    with their defaults.

    Where there are some, ``check_options`` of the module checks them.
    """

    module: str
    options: Mapping[str, Any] = field(default_factory=dict)
    epsilon: float | None = None  # the ε it is asked for where none is given; None: one has to be
    searches: bool = False  # whether it looks for the smallest ε that serves where none is given
    secret: bool = False  # whether what it draws undoes it: it takes no seed that is written down
    nulls: str = "strict"  # its null rule where none is given
    # whether ``check_options`` refuses timestamps, which what it makes has none of
    undated: bool = False


METHODS = {
    "modify": Method(
        "ratingpriv.anonymize.modification.modify",
        {"strategy": "window", "fabricate": True, "fill": "metric"},
    ),
    "suppress": Method("ratingpriv.anonymize.suppression.suppress"),
    "predictive": Method(
        "ratingpriv.anonymize.predictive.predictive",
        {"scheme": "pure", "labels": "rounded", "diversity": None, "factors": 10, "bins": None}
        | {"centres": "virtual"},
        epsilon=0.0,  # members of a group are identical
        undated=True,
    ),
    "blank": Method(
        "ratingpriv.anonymize.suppression.blank", {"m": None, "keep_at_least": 0.0}, nulls="known"
    ),
    "swap": Method(
        "ratingpriv.anonymize.swapping.swapping",
        dict.fromkeys(("swap_nulls", "withhold_at_most", "groups", *DEMANDS)),
        nulls="wildcard",
        searches=True,
        secret=True,
    ),
}


def method_target(
    method: str,
    options: Mapping[str, Any],
    *,
    epsilon: float | None,
    nulls: str | None,
    **given: Any,
) -> ReleaseTarget:
    """Return what a method is asked for: what is given,
    with its own ``epsilon`` and ``nulls`` for None.
    """
    row = METHODS[checks.choice("method", method, METHODS)]
    epsilon = row.epsilon if epsilon is None else epsilon
    if row.searches and epsilon is None:
        given |= {"searched": True}
        epsilon = 0.0
    if epsilon is None:
        expected = f"a number >= 0: {method} has to be told the rating distance"
        raise ParameterError("epsilon", None, expected, "name one")
    nulls = row.nulls if nulls is None else nulls
    return ReleaseTarget(epsilon=epsilon, nulls=nulls, m=options.get("m"), **given)


def method_options(method: str) -> tuple[str, ...]:
    """Return the options of a method beside the common parameters."""
    return tuple(METHODS[checks.choice("method", method, METHODS)].options)


def check_method_options(
    method: str, options: Mapping[str, Any], *, timestamps: bool = False
) -> None:
    """Refuse options that a method does not have, and values that it takes for no data.

    ``timestamps`` : whether a release shall have any
    """
    options_of_method = method_options(method)
    for name, value in options.items():
        if name not in options_of_method:
            expected = (
                f"not to be given: {method} has no such option (it has: "
                f"{', '.join(options_of_method) or 'none'})"
            )
            raise ParameterError(name, value, expected)
    if options_of_method:
        dated = {"timestamps": timestamps} if METHODS[method].undated else {}
        _module(method).check_options(**{**METHODS[method].options, **options}, **dated)


def _module(method: str) -> Any:
    return importlib.import_module(METHODS[method].module)


@checks.takes_random_state
@takes_frames
def anonymize(
    table: TableLike,
    method: str = "modify",
    *,
    k: int,
    epsilon: float | None = None,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str | None = None,
    sensitive_nulls: str = "paper",
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Anonymized:
    """Make ``table`` (k,ε)- or, with ``l``, (k,ε,l)-anonymous [SWLZ11, Def. 4.2-4.3].

    Parameters
    ----------
    table : n records, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    method : "modify": change ratings, looking for little change; every record is released, but for
        fewer than k where quasi-identifiers leave no other way
        (:func:`ratingpriv.anonymize.modification.modify.make`); "suppress": change no rating, leave
        out the fewest records (:func:`ratingpriv.anonymize.suppression.suppress.make`);
        "predictive": make groups of similar records identical, for sparse ratings
        (:func:`ratingpriv.anonymize.predictive.predictive.make`); "blank": blank ratings, until any
        few known ones of those left leave k records
        (:func:`ratingpriv.anonymize.suppression.blank.make`); "swap": records with similar
        ratings exchange them, each column separately, within groups of k
        (:func:`ratingpriv.anonymize.swapping.swapping.make`)
    k : how many records each neighbourhood shall have, a whole number >= 1
    epsilon : the rating distance >= 0 within which two ratings are indistinguishable. It is *not*
        the ε of differential privacy. "predictive" needs none: it is 0 there, unless one is given;
        "swap" takes the smallest that leaves few enough out
    l : the SD that every sensitive issue shall have in every neighbourhood, >= 0; None asks for
        none
    nulls, sensitive_nulls : the rules for nulls, as for :func:`ratingpriv.audit`; ``nulls`` None:
        "strict", of "blank" "known", and it takes no other; of "swap" "wildcard" where missing
        values are exchanged
    rng : seed or generator; the same one gives the same changes, whatever the number of threads.
        None: a seed from the operating system, which no result has: only the key that is written
        with the release
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads : how many threads; None: one for each available core
    memory : bytes that working arrays may take; None: each step's default
    progress : called with (what is being done, units done, units in all or None) as long work goes
        on
    strategy : an option of "modify": "window" (the default), little distortion, and the least of a
        given group; or "paper", the papers' groups and rules [SWLP10, §4.4-4.5]
    fabricate : an option of "modify": whether a null may become a rating, True by default
    fill : an option of "modify": what a null becomes: "metric" (the default), what is cheapest in
        the papers' metric, which takes a null for a 0, so that low ratings are invented; "median",
        the group's median
    scheme : an option of "predictive": "pure" (the default), a record gets the issues that its
        group rated; "padded", every issue, with predicted ratings
    labels : an option of "predictive": means are "rounded" to the scale (the default), or stay
        "exact"
    diversity : an option of "predictive": (b, l), every b issues that a record rates together must
        be in at least l groups [CTWY10, Def. 6]
    factors, bins, centres : options of "predictive": how many factors its model has (10), how many
        bins records are sorted into (as many as their number calls for), and whether the centre of
        one is "virtual" or "real"
    m, keep_at_least : options of "blank": how many known ratings, from 1 to 4, which has to be
        given; and the share of the ratings that shall be left
    swap_nulls, withhold_at_most, groups : options of "swap", beside the demands of
        :class:`ratingpriv.proximity.demands.CountedDemands`: what becomes of missing values
        ("exchange", "fill" or "strict"), the share of the records that may be suppressed, a file
        with groups that were made elsewhere, and what each group shall meet on each sensitive issue
        as in :func:`ratingpriv.audit`. A release of "swap" made with an ``rng`` carries the
        reservation seed-known

    Returns
    -------
    Anonymized
        The records to release, what was done to them, and their audit;
        :func:`ratingpriv.anonymize.release.writing.write_release` writes them.

    Raises
    ------
    ParameterError
        There is no such method, it has no such option, or an argument is out of range.
    ResourceError
        The table is too large for ``memory``.
    TargetNotReachedError
        The target cannot be reached, or no such release was found; ``best`` is the best attempt, or
        None.
    """
    check_method_options(method, options)
    target = method_target(
        method, options, k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=sensitive_nulls
    )
    data = cast("RatingTable", table)  # by takes_frames
    if target.m is None:
        numeric = bool(data.numeric_sensitive)
        target.check_data(data.n_records, sensitive=bool(data.sensitive), numeric=numeric)
    given = {**METHODS[method].options, **options}
    given.pop("m", None)  # the target has it
    resources = Resources(threads, memory, progress)
    made = cast(
        "Anonymized", _module(method).make(data, target, Randomness.of(rng), resources, **given)
    )
    return replace(made, original=data)


def modify(table: TableLike, *, k: int, **how: Any) -> Anonymized:
    """Change ratings until the target is met [SWLP10]: :func:`anonymize` by "modify"."""
    return anonymize(table, "modify", k=k, **how)


def suppress(table: TableLike, *, k: int, **how: Any) -> Anonymized:
    """Suppress the fewest records that can be [SWLZ11, Def. 4.2]:
    :func:`anonymize` by "suppress".
    """
    return anonymize(table, "suppress", k=k, **how)


def predictive(table: TableLike, *, k: int, **how: Any) -> Anonymized:
    """Make similar records identical [CTWY10]: :func:`anonymize` by "predictive"."""
    return anonymize(table, "predictive", k=k, **how)


def swap(table: TableLike, *, k: int, **how: Any) -> Anonymized:
    """Exchange ratings within groups of k similar records: :func:`anonymize` by "swap"."""
    return anonymize(table, "swap", k=k, **how)


def blank(table: TableLike, *, k: int, m: int, **how: Any) -> Anonymized:
    """Blank ratings until any ``m`` known ones leave k records [ours]:
    :func:`anonymize` by "blank".
    """
    return anonymize(table, "blank", k=k, m=m, **how)
