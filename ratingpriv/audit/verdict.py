"""The audit: every neighbourhood's size and diversity against k, ε and l."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Unpack

import numpy as np

from ratingpriv.audit.conclusion import conclude
from ratingpriv.audit.exposure.measure import exposure as measure_exposure
from ratingpriv.audit.judging import Aggregates, Judged
from ratingpriv.audit.parameters import AuditParameters
from ratingpriv.audit.records import AuditedRecords
from ratingpriv.audit.result import AuditedDataset, AuditResult
from ratingpriv.audit.stored import ENGINE, audit_stored
from ratingpriv.base import checks
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.progress import Progress
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.tally import tally
from ratingpriv.data.codebook.table_like import ColumnWords, TableLike, as_table, refuse_unknown
from ratingpriv.data.table import RatingTable
from ratingpriv.graph.store import DatasetInfo
from ratingpriv.proximity.demands import CountedDemands
from ratingpriv.proximity.hamming import hamming_group_sizes
from ratingpriv.proximity.neighbourhoods import ENGINES, EqualRecords, equal_records, neighbourhoods

__all__ = ["ENGINES", "audit", "describe"]


@checks.takes_random_state
def audit(
    table: TableLike | DatasetInfo,
    *,
    k: int,
    epsilon: float,
    l: float | None = None,  # noqa: E741 -- the theory's word
    nulls: str | None = None,
    sensitive_nulls: str = "paper",
    max_share: float | None = None,
    sensitive_kind: str = "interval",
    distinct: int | None = None,
    entropy: float | None = None,
    t_closeness: float | None = None,
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
    **columns: Unpack[ColumnWords],
) -> AuditResult:
    """Decide exactly whether ``table`` is (k,ε)- and, with ``l``, (k,ε,l)-anonymous, and who is at risk.

    Implements [SWLZ11, Def. 4.2 and 4.3] by neighbourhoods: N(t) is t with every record that differs from it
    by at most ε on every non-sensitive issue, and that meets the rule of every quasi-identifier with it.

    Parameters
    ----------
    table : the ratings, or what :func:`ratingpriv.data.codebook.table_like.as_table` takes; or a dataset in
        a graph store, ``store.dataset("survey")``, which is audited there, in Cypher, with the same result:
        :func:`ratingpriv.audit.stored.audit_stored` says what is not
    k : how many records each neighbourhood shall have, a whole number >= 1; more than there are records is
        plainly not satisfied
    epsilon : the rating distance >= 0 within which two ratings are indistinguishable. It is *not* the ε of
        differential privacy
    l : the SD that every sensitive issue shall have in every neighbourhood, >= 0; None asks for none
    nulls : "strict": a null is r, the scale's maximum, away from every rating [SWLZ11, Eq. 1];
        "wildcard": a null matches anything; "known": N(t) are the records that rate at least what t rates,
        each within ε, so that what t did not rate is unknown to the adversary [ours]. None: "strict"; of a
        dataset in a store the rule that it was ingested under
    sensitive_nulls : "paper": a sensitive null counts s̄² [SWLZ11, Eq. 3]; "ignore": it is left out. With
        ``l`` both verdicts are in the result
    max_share : the largest share that one value may have of a sensitive issue's known values in a
        neighbourhood, above 0 and at most 1; None asks for none. The shares are in the result in any case
    sensitive_kind : "interval": sensitive ratings are numbers; "nominal": they are codes, of which an SD says
        nothing, so that ``l`` is refused and no SD reported. Issues whose values are words are nominal in any
        case, and ``l`` does not cover them
    distinct : how many distinct known values each neighbourhood shall have on every sensitive issue; None
        asks for none [Machanavajjhala et al. 2007, distinct l-diversity]
    entropy : L >= 1: the entropy of the known values shall be at least log L in each; None asks for none
        [Machanavajjhala et al. 2007, entropy l-diversity]
    t_closeness : from 0 to 1: how far the distribution of the known values may be from that in all records,
        by the earth mover's distance; None asks for none [Li et al. 2007, t-closeness]
    at_most : the share of records, from 0 to below 1, that may break any of this before a gate fails; the
        verdict stays what it is, and ``tolerance`` says whether they are within it. None: none
    accept : codes of reservations that change what a verdict says (:mod:`ratingpriv.base.reservations`),
        and with which it is a yes to you all the same: ``standing.passes``
    engine : "slicing" (compiled) or "pairwise" (the papers' O(n²p) baseline); the numbers are the same.
        None: "slicing"; of a dataset in a store "cypher", which no table has
    exposure : also measure what is left to an adversary whose knowledge is off by up to so much, >= 0
        (:func:`ratingpriv.audit.exposure.measure.exposure`); None does not
    known : also decide whether any at most so many known ratings of a record leave k records
        (:func:`ratingpriv.known_ratings`), under ``nulls="known"``; ``standing`` is of this verdict then.
        None does not
    known_error : these ratings are known off by up to so much, instead of exactly
    known_items : only ratings of these issues can be known, as :meth:`RatingTable.select_issues` takes them
    rng : seed of what exposure and random known ratings draw where they are not enumerated, or a generator
    random_state : the same as ``rng``, by scikit-learn's name; one of the two
    threads : how many threads; None: one for each available core
    memory : bytes that the engine may use for its working arrays; None: its default
    progress : called with (what is being done, units done, units in all or None) as long work goes on

    Raises
    ------
    ParameterError
        An argument is out of range; the table has no records; ``l`` or another demand on sensitive issues is
        given, but no issue is sensitive; ``l`` is given with nominal ones.
    """
    refuse_unknown("audit", columns)
    demands = CountedDemands(
        max_share=max_share, distinct=distinct, entropy=entropy, t_closeness=t_closeness
    ).demands
    if known is not None or known_error is not None or known_items is not None:
        nulls = _rule_of_known(known, nulls, l=l, at_most=at_most, **demands)
    usual = ENGINE if isinstance(table, DatasetInfo) else ENGINES[0]
    parameters = AuditParameters(
        k=k, epsilon=epsilon, l=l, nulls="strict" if nulls is None else nulls,
        sensitive_nulls=sensitive_nulls,
        engine=usual if engine is None else engine, sensitive_kind=sensitive_kind, at_most=at_most,
        accept=checked_codes(accept), **demands,
    )  # fmt: skip
    if isinstance(table, DatasetInfo):
        of_tables = {**columns, "threads": threads, "memory": memory, "exposure": exposure, "known": known}
        for name, value in of_tables.items():
            if value is not None:
                remedy = "audit the data file: a store was told at the ingest what the data are"
                raise ParameterError(name, "with a dataset in a graph store", f"no `{name}`", remedy)
        if parameters.engine != ENGINE:
            raise ParameterError("engine", engine, f"{ENGINE}, which audits a dataset in a graph store")
        return audit_stored(table, parameters, as_ingested=nulls is None, progress=progress)
    table = as_table(table, **columns)
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
    judged = Judged.of(counted, parameters, [column.name for column in table.sensitive if column.nominal])
    records = AuditedRecords(table.record_ids, judged)
    if parameters.epsilon > 0:
        equal = equal_records(table, parameters.k, parameters.nulls, resources, engine=parameters.engine)
    else:
        equal = EqualRecords.of(counted.sizes, parameters.k)
    result = conclude(Aggregates.of(judged), described, table, records=records, equal=equal)
    how = resources.keywords
    if known is not None:
        from ratingpriv.audit.known import known_ratings, unicity

        items = known_items if known_items is None or isinstance(known_items, str) else ",".join(known_items)
        try:
            knowable = table if known_items is None else table.select_issues(known_items, rng=rng)
        except ParameterError as error:
            raise error.of("known_items" if error.name == "issues" else error.name) from error
        exact = parameters.epsilon if known_error is None else None
        decided = known_ratings(knowable, k=parameters.k, m=known, epsilon=exact, error=known_error, **how)
        random = [
            unicity(knowable, m=m, k=parameters.k, epsilon=parameters.epsilon, rng=rng, **how)
            for m in range(1, known + 1 if known_error is None else 1)  # there knowledge is exact
        ]
        decided = dataclasses.replace(decided, items=items, random=tuple(random))
        codes = {one.code for one in result.cautions if one.reservation}
        more = (one for one in decided.cautions if one.code not in codes)
        result = dataclasses.replace(result, known=decided, cautions=(*result.cautions, *more))
    if exposure is not None:
        measured = measure_exposure(table, error=exposure, nulls=parameters.nulls, rng=rng, **how)
        result = dataclasses.replace(result, exposure=measured)
    return result


def _rule_of_known(known: int | None, nulls: str | None, **demands: float | None) -> str:
    """Return the null rule of a verdict against known ratings; refuse what it says nothing of."""
    if known is None:
        raise ParameterError("known", None, "how many ratings are known, beside what is said of them")
    if nulls not in (None, "known"):
        remedy = "leave `nulls` out, or say known"
        raise ParameterError("nulls", nulls, "known: known ratings compare what is known only", remedy)
    for name, value in demands.items():
        if value is not None:
            expected = f"no `{name}`: known ratings are counted, and not what is learnt of others"
            raise ParameterError(name, value, expected, "audit for it without `known`")
    return "known"


def describe(table: RatingTable) -> AuditedDataset:
    """Return what is said of ``table`` beside a result."""
    return AuditedDataset.of(table, hamming_group_sizes=tally(hamming_group_sizes(table)))
