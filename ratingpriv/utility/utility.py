"""``ratingpriv.utility``: what a release is still good for,
each measure beside its two references.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, ResourceError
from ratingpriv.base.keys import Key
from ratingpriv.base.progress import Progress
from ratingpriv.base.requirement import Requirement
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, takes_frames
from ratingpriv.data.table.description import TableDescription
from ratingpriv.utility.measures import MEASURES, NAMES, chosen
from ratingpriv.utility.pair import Pair, pair_of
from ratingpriv.utility.result import Measured, Utility, UtilityParameters, not_measured
from ratingpriv.utility.tables import worthless


@checks.takes_random_state
@takes_frames
def utility(
    original: TableLike,
    release: TableLike,
    *,
    truth: Key | str | None = None,
    measures: Sequence[str] | str | None = None,
    require: Sequence[str | Requirement] | str | Requirement = (),
    epsilon: float | None = None,
    nulls: str | None = None,
    queries: int | None = None,
    target: str | None = None,
    classifier: str | None = None,
    clusters: int | None = None,
    cluster_nulls: str | None = None,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **columns: Unpack[ColumnWords],
) -> Utility:
    """Measure what ``release`` is still good for,
    each measure beside that of the original and of a random baseline.

    Implements [SWLP10, §5.3-5.4], [CTWY10, §7] and what survey people look at first [ours]. The
    random baseline has every rating replaced by a random one of the same issue: a measure that is
    no better than there says that what it measures is lost.

    Parameters
    ----------
    original : the original, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes
    release : what was published of it
    truth : links of released to original records: the release's key, or "ids" if it kept the
        records' ids; None: they are not known, and what needs them is not measured. They are never
        guessed
    measures : names of measures; None: all (:data:`ratingpriv.utility.measures.MEASURES`)
    require : limits such as "query_error<=0.1"; ``passed`` says whether all are kept
    epsilon, nulls : who is proximate, for clustering_coefficient; without ``epsilon`` that is not
        measured
    queries : how many count queries query_error draws; None: 100
    target : the issue, sensitive or not, that classification predicts; without it that is not
        measured
    classifier : "categorical" (so is None) or "gaussian" naive Bayes
    clusters : how many clusters membership_change makes; None: 5
    cluster_nulls : what stands for a missing rating there: "zero" (so is None) or "mean"
    rng : seed or generator. Every measure has a stream of its own, so that leaving one out changes
        no other; two releases of one original get the same queries, seeds and splits by the same
        seed
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads, memory, progress : as for :func:`ratingpriv.audit`

    Returns
    -------
    Utility
        ``to_dict()`` is the JSON contract ``ratingpriv.utility/1``. Of a release by swap, by its
        key, every figure has two digits.

    Raises
    ------
    ParameterError
        An argument is out of range or would be ignored, there is no such measure, or ``truth`` does
        not belong to the release.

    Examples
    --------
    >>> import ratingpriv
    >>> table = ratingpriv.read("examples/survey.csv")
    >>> found = ratingpriv.utility(table, table, measures=["query_error"])
    >>> found["query_error"].value
    0.0
    """
    settings: dict[str, Any] = {
        "epsilon": epsilon,
        "nulls": nulls,
        "queries": queries,
        "target": target,
    }
    settings |= {"classifier": classifier, "clusters": clusters, "cluster_nulls": cluster_nulls}
    names = chosen(measures)
    requirements = check_usage(names, require, settings)
    return utility_of_pair(
        pair_of(original, release, truth),
        names,
        settings,
        require=requirements,
        rng=rng,
        resources=Resources(threads, memory, progress),
        described=(TableDescription.of(original), TableDescription.of(release)),
    )


type References = dict[tuple[str, int], tuple[float | None, float | None]]
"""By measure and seed: the value of the original itself, and of a worthless release of it."""


def utility_of_pair(
    pair: Pair,
    names: Sequence[str],
    settings: Mapping[str, Any] | None = None,
    *,
    require: Sequence[Requirement] = (),
    rng: int | np.random.Generator | None = 0,
    resources: Resources = Resources(),
    described: tuple[TableDescription, TableDescription] | None = None,
    references: bool = True,
    remembered: References | None = None,
) -> Utility:
    """Measure a release that is laid beside its original already; see :func:`utility`.

    ``references``: whether the original's own value and a worthless release's stand beside each;
    ``remembered`` keeps them for other releases of this original by the same ``settings``.
    ``described`` are the two tables as they were before issues that one of them lacks were added to
    it.
    """
    given = {name: value for name, value in (settings or {}).items() if value is not None}
    seed = checks.seed_from(rng)
    of_worthless, *sequences = np.random.SeedSequence(seed).spawn(1 + len(NAMES))
    streams = dict(zip(NAMES, sequences, strict=True))
    remembered = {} if remembered is None else remembered
    itself = np.arange(pair.original.n_records, dtype=np.int64)
    pairing_words: dict[str, Any] = {
        "pairing": itself,
        "paired_by": "ids",
        "issues_added": pair.issues_added,
    }
    same = Pair(pair.original, pair.original, **pairing_words)
    lost = same
    if references and not all((name, seed) in remembered for name in names):
        lost = Pair(
            pair.original,
            worthless(pair.original, np.random.default_rng(of_worthless)),
            **pairing_words,
        )
    steps = itertools.count()

    def measure(name: str, pair: Pair) -> Measured:
        resources.report("utility", next(steps), 3 * len(names))
        which, rng = MEASURES[name], np.random.default_rng(streams[name])
        settings = {its: given[ours] for ours, its in which.settings.items() if ours in given}
        try:
            return which.function(pair, rng=rng, resources=resources, **settings)
        except ResourceError as error:  # one that takes too much is not measured; the others are
            return not_measured(str(error))

    measured: dict[str, Measured] = {}
    for name in names:
        measured[name] = measure(name, pair)
        if references and measured[name].value is not None:  # by the same random numbers
            if (name, seed) not in remembered:
                remembered[name, seed] = measure(name, same).value, measure(name, lost).value
            of_itself, at_worst = remembered[name, seed]
            measured[name] = replace(measured[name], original=of_itself, worthless=at_worst)
    resources.report("utility", 3 * len(names), 3 * len(names))
    result = Utility(
        *(described or (TableDescription.of(pair.original), TableDescription.of(pair.release))),
        parameters=UtilityParameters(seed, tuple(names), given),
        paired_by=pair.paired_by,
        withheld=pair.withheld,
        issues_lost=pair.issues_lost,
        issues_added=pair.issues_added,
        measured=measured,
        judged=tuple(
            limit.judge(measured[limit.measure].value, measured[limit.measure].reason)
            for limit in require
        ),
    )
    return result.rounded() if pair.exchanged else result


def check_usage(
    names: Sequence[str],
    require: Sequence[str | Requirement] | str | Requirement,
    settings: Mapping[str, Any],
) -> tuple[Requirement, ...]:
    """Refuse what would be ignored: a limit on what is not measured,
    a setting of what is not measured.
    """
    listed = checks.several(require)
    given: list[Any] = [require] if listed is None else listed
    requirements = tuple(Requirement.of(one, MEASURES) for one in given)
    for limit in requirements:
        if limit.measure not in names:
            remedy = f"name {limit.measure} among the measures, or leave them out to measure all"
            raise ParameterError("require", str(limit), "a measure that is measured", remedy)
    taken = {setting for name in names for setting in MEASURES[name].settings}
    for setting, value in settings.items():
        if value is not None and setting not in taken:
            of = ", ".join(
                name for name, measure in MEASURES.items() if setting in measure.settings
            )
            remedy = f"measure that too, or leave `{setting}` out"
            raise ParameterError(setting, value, f"a measure that takes it, {of}", remedy)
    return requirements
