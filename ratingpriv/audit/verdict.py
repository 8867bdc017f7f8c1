"""The audit: every neighbourhood's size and diversity against k, ε and l."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from ratingpriv.audit.conclusion import conclude
from ratingpriv.audit.exposure.measure import exposure as measure_exposure
from ratingpriv.audit.judging import Aggregates, Judged
from ratingpriv.audit.parameters import AuditParameters
from ratingpriv.audit.records import AuditedRecords
from ratingpriv.audit.result import AuditedDataset, AuditResult
from ratingpriv.base import checks
from ratingpriv.base.compute.compiling import one_computation
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.tally import tally
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, as_table, refuse_unknown
from ratingpriv.data.table import RatingTable
from ratingpriv.proximity.demands import DEMANDS, CountedDemands, DemandWords
from ratingpriv.proximity.hamming import hamming_group_sizes
from ratingpriv.proximity.neighbourhoods import ENGINES, EqualRecords, equal_records, neighbourhoods

__all__ = ["ENGINES", "AuditWords", "audit", "describe"]


class AuditWords(ColumnWords, DemandWords, total=False):
    """The demands on sensitive issues, and what may be said of the columns of a data frame."""


@checks.takes_random_state
@one_computation()
def audit(
    table: TableLike,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str | None = None,
    sensitive_nulls: str = "paper",
    sensitive_kind: str = "interval",
    at_most: float | None = None,
    accept: Sequence[str] = (),
    engine: str | None = None,
    exposure: float | None = None,
    known: int | None = None,
    known_error: float | None = None,
    known_items: str | Sequence[str] | None = None,
    rng: int | np.random.Generator | None = 0,
    random_state: checks.RandomState | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    **words: Unpack[AuditWords],
) -> AuditResult:
    """Decide exactly whether ``table`` is (k,ε)- and, with ``l``, (k,ε,l)-anonymous,
    and who is at risk.

    Implements [SWLZ11, Def. 4.2 and 4.3] by neighbourhoods: N(t) is t with every record that
    differs from it by at most ε on every non-sensitive issue, and that meets the rule of every
    quasi-identifier with it.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes; a
        dataset in a graph store is audited by :func:`ratingpriv.audit_stored`
    k : how many records each neighbourhood shall have, a whole number >= 1; more than there are
        records is plainly not satisfied
    epsilon : the rating distance >= 0 within which two ratings are indistinguishable. It is *not*
        the ε of differential privacy
    l : the SD that every sensitive issue shall have in every neighbourhood, >= 0; None asks for
        none
    nulls : "strict": a null is r, the scale's maximum, away from every rating [SWLZ11, Eq. 1];
        "wildcard": a null matches anything; "known": N(t) are the records that rate at least what t
        rates, each within ε, so that what t did not rate is unknown to the adversary [ours]. None:
        "strict"
    sensitive_nulls : "paper": a sensitive null counts s̄² [SWLZ11, Eq. 3]; "ignore": it is not
        counted. With ``l`` both verdicts are in the result
    sensitive_kind : "interval": sensitive ratings are numbers; "nominal": they are codes, of which
        an SD says nothing, so that ``l`` is refused and no SD reported. Issues whose values are
        words are nominal in any case, and ``l`` does not cover them
    at_most : the share of records, from 0 to below 1, that may break any of this before a gate
        fails; the verdict stays what it is, and ``tolerance`` says whether they are within it.
        None: none
    accept : codes of reservations that change what a verdict says
        (:mod:`ratingpriv.base.reservations`), and with which it is a yes to you all the same:
        ``standing.passes``
    engine : "slicing" (compiled) or "pairwise" (the papers' O(n²p) baseline); the numbers are the
        same. None: "slicing"
    exposure : also measure the exposure to an adversary with a rating error of up to this, >=
        0 (:func:`ratingpriv.audit.exposure.measure.exposure`); None does not
    known : also decide whether any known ratings of a record, at most this many, leave k records
        (:func:`ratingpriv.known_ratings`), under ``nulls="known"``; ``standing`` is of this verdict
        then. None does not
    known_error : these ratings are known off by up to so much, instead of exactly
    known_items : only ratings of these issues can be known, as :meth:`RatingTable.select_issues`
        takes them
    rng : seed of what exposure and random known ratings draw where they are not enumerated, or a
        generator
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads : how many threads; None: one for each available core
    memory : bytes that the engine may use for its working arrays; None: its default
    progress : called with (what is being done, units done, units in all or None) as long work goes
        on
    words : what else each neighbourhood shall meet on every sensitive issue
        (:class:`ratingpriv.proximity.demands.CountedDemands`), whose best values are in the result
        in any case, and what is said of the columns of a data frame
        (:class:`ratingpriv.data.codebook.table_like.ColumnWords`)

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` or another demand on sensitive
        issues is given, but no issue is sensitive; ``l`` is given with nominal ones.
    """
    options: dict[str, Any] = dict(words)
    demands = CountedDemands(
        **{name: options.pop(name) for name in DEMANDS if name in options}
    ).demands
    refuse_unknown("audit", options)
    if known is not None or known_error is not None or known_items is not None:
        nulls = _rule_of_known(known, nulls, l=l, at_most=at_most, **demands)
    parameters = AuditParameters(
        k=k,
        epsilon=epsilon,
        l=l,
        nulls="strict" if nulls is None else nulls,
        sensitive_nulls=sensitive_nulls,
        engine=ENGINES[0] if engine is None else engine,
        sensitive_kind=sensitive_kind,
        at_most=at_most,
        accept=checked_codes(accept),
        **demands,
    )
    table = as_table(table, **options)
    checks.choice("engine", parameters.engine, ENGINES)
    if exposure is not None:
        exposure = checks.non_negative_number("exposure", exposure)
    resources = Resources(threads, memory, progress)
    parameters.check_data(
        table.n_records, sensitive=bool(table.sensitive), numeric=bool(table.numeric_sensitive)
    )
    described = describe(table)  # before there is anything else that is as long as the data
    counted = neighbourhoods(
        table,
        parameters.epsilon,
        nulls=parameters.nulls,
        counts=parameters.counting,
        engine=parameters.engine,
        resources=resources,
    )
    judged = Judged.of(
        counted, parameters, [column.name for column in table.sensitive if column.nominal]
    )
    records = AuditedRecords(table.record_ids, judged)
    if parameters.epsilon > 0:
        equal = equal_records(
            table, parameters.k, parameters.nulls, resources, engine=parameters.engine
        )
    else:
        equal = EqualRecords.of(counted.sizes, parameters.k)
    result = conclude(Aggregates.of(judged), described, table, records=records, equal=equal)
    if known is not None:
        result = _against_known(result, table, known, known_error, known_items, rng, resources)
    if exposure is not None:
        how = resources.keywords
        measured = measure_exposure(table, error=exposure, nulls=parameters.nulls, rng=rng, **how)
        result = dataclasses.replace(result, exposure=measured)
    return result


def _against_known(
    result: AuditResult,
    table: RatingTable,
    known: int,
    error: float | None,
    items: str | Sequence[str] | None,
    rng: Any,
    resources: Resources,
) -> AuditResult:
    """Return the result with the verdict against so many known ratings, off by up to an error,
    of items.
    """
    from ratingpriv.audit.known import known_ratings, singling_items, unicity

    k, epsilon, how = result.parameters.k, result.parameters.epsilon, resources.keywords
    try:
        knowable = table if items is None else table.select_issues(items, rng=rng)
    except ParameterError as wrong:
        raise wrong.of("known_items" if wrong.name == "issues" else wrong.name) from wrong
    exact = epsilon if error is None else None
    decided = known_ratings(knowable, k=k, m=known, epsilon=exact, error=error, **how)
    random = [
        unicity(knowable, m=m, k=k, epsilon=epsilon, rng=rng, **how)
        for m in range(1, known + 1 if error is None else 1)  # there knowledge is exact
    ]
    named = items if items is None or isinstance(items, str) else ",".join(items)
    singling = singling_items(knowable, k=k, epsilon=exact, error=error, pairs=known > 1)
    decided = dataclasses.replace(decided, items=named, random=tuple(random), singling=singling)
    codes = {caution.code for caution in result.cautions if caution.reservation}
    more = (caution for caution in decided.cautions if caution.code not in codes)
    return dataclasses.replace(result, known=decided, cautions=(*result.cautions, *more))


def _rule_of_known(known: int | None, nulls: str | None, **demands: float | None) -> str:
    """Return the null rule of a verdict against known ratings; refuse what it says nothing of."""
    if known is None:
        raise ParameterError(
            "known", None, "a number of known ratings", "name it, or leave the other options out"
        )
    if nulls not in (None, "known"):
        remedy = "use no `nulls`, or known"
        raise ParameterError(
            "nulls", nulls, "known: known ratings compare what is known only", remedy
        )
    for name, value in demands.items():
        if value is not None:
            expected = f"no `{name}`: known ratings are counted, and not the inference of others"
            raise ParameterError(name, value, expected, "audit for it without `known`")
    return "known"


def describe(table: RatingTable) -> AuditedDataset:
    """Return what is said of ``table`` beside a result."""
    return AuditedDataset.of(table, hamming_group_sizes=tally(hamming_group_sizes(table)))
