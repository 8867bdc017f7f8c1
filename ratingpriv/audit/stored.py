"""The audit of a dataset in a graph store: counted there by Cypher,
concluded as every other audit is.
"""

from __future__ import annotations

import dataclasses
import json
from typing import Any, Unpack

import numpy as np

from ratingpriv.audit.conclusion import conclude
from ratingpriv.audit.judging import Aggregates, Judged
from ratingpriv.audit.parameters import AuditParameters, TargetWords
from ratingpriv.audit.records import AuditedRecords
from ratingpriv.audit.result import AuditedDataset, AuditResult
from ratingpriv.base.cautions import Caution
from ratingpriv.base.errors import ParameterError, QueryFailedError
from ratingpriv.base.progress import Progress
from ratingpriv.base.tally import tally
from ratingpriv.data.codebook.table_like import refuse_unknown
from ratingpriv.data.table import Scale, Selection
from ratingpriv.graph.auditing import GraphNumbers, audit_numbers
from ratingpriv.graph.store import DatasetInfo
from ratingpriv.proximity.counting import valued
from ratingpriv.proximity.neighbourhoods import EqualRecords, Neighbourhoods
from ratingpriv.proximity.reservations import AuditedData, told_to_store

ENGINE = "cypher"
"""The engine's name in results: the queries of ``cypher/audit`` on a graph store."""


def audit_stored(
    dataset: DatasetInfo,
    *,
    k: int,
    epsilon: float,
    progress: Progress | None = None,
    **words: Unpack[TargetWords],
) -> AuditResult:
    """Decide for a dataset in a graph store what :func:`ratingpriv.audit` does of a table,
    in Cypher.

    Implements [SWLZ11, Def. 4.2 and 4.3]. The result is that of the data file, field by field, but
    for the dataset's name, the engine (``cypher``), record ids that were replaced by pseudonyms,
    and what no store is told: the columns that are carried, and what the others were taken for. Of
    a dataset that holds the pairs of records at risk only, sizes and risk are audited and sensitive
    issues are not: a caution names them.

    Parameters
    ----------
    dataset : ``store.dataset("survey")``; it is audited as it is now
    k, epsilon, progress : as for the audit
    words : the other demands of an audit: ``l``, ``nulls``, ``sensitive_nulls``,
        ``sensitive_kind``, ``at_most``, ``accept`` and
        :class:`ratingpriv.proximity.demands.CountedDemands`. ``nulls`` is that which the dataset
        was ingested under, unless it is "known", which needs the ratings in the store and no pairs,
        so that any epsilon will do; another one is refused

    Raises
    ------
    ParameterError
        As by the audit; a null rule or an epsilon that the dataset was not ingested for; a demand
        on sensitive issues where it does not hold all pairs.
    """
    refuse_unknown("audit_stored", words.keys() - TargetWords.__annotations__.keys())
    demands: dict[str, Any] = dict(words)
    nulls = demands.pop("nulls", None)
    parameters = AuditParameters(
        k=k, epsilon=epsilon, nulls="strict" if nulls is None else nulls, engine=ENGINE, **demands
    )
    store, name = dataset.store, dataset.spec.name
    spec = store.dataset(name).spec  # as it is now
    rule = spec.nulls if nulls is None else parameters.nulls
    if rule not in ("known", spec.nulls):
        remedy = f"ingest it again with `nulls={rule!r}`, or without `nulls`"
        raise ParameterError(
            "nulls", rule, f"{spec.nulls}, as dataset {name!r} was ingested", remedy
        )
    parameters = dataclasses.replace(parameters, nulls=rule)
    for demand, value in {"l": parameters.l, **parameters.demands}.items():
        if value is not None and rule != "known" and spec.edges != "all":
            expected = (
                f"no demand on sensitive items: dataset {spec.name!r} holds only the pairs of "
                f"records with fewer than {spec.k} in their neighbourhood, so that the others are "
                "not known"
            )
            raise ParameterError(demand, value, expected, "ingest it again with `edges='all'`")
    numbers = audit_numbers(
        store, name, parameters.epsilon, known=rule == "known", progress=progress
    )
    spec = numbers.dataset.spec
    if rule not in ("known", spec.nulls):
        raise QueryFailedError(
            store.uri, f"the dataset {name!r} was replaced meanwhile", "run the audit again"
        )
    data, cautions = _data_of(numbers)
    nominal = tuple(column.name for column in data.sensitive if column.nominal)
    numeric = len(nominal) < len(data.sensitive)
    parameters.check_data(data.n_records, sensitive=bool(data.sensitive), numeric=numeric)
    moments, counts, everybody = [], [], np.arange(data.n_records)
    for issue in numbers.sensitive:
        moments.append(issue.moments)
        builder = valued(issue.column).builder(data.n_records, parameters.counting)
        builder.add_sparse(everybody, issue.position, issue.code, issue.records)
        counts.append(builder.result(everybody))
    neighbourhoods = Neighbourhoods(
        parameters.epsilon, rule, ENGINE, numbers.sizes, tuple(moments), counts=tuple(counts)
    )
    judged = Judged.of(neighbourhoods, parameters, nominal)
    described = AuditedDataset(
        name=spec.name,
        records=data.n_records,
        issues=data.n_issues,
        sensitive=tuple(column.name for column in data.sensitive),
        nominal=nominal,
        ratings=data.n_ratings,
        scale=data.scale,
        hamming_group_sizes=tally(numbers.hamming_group_sizes),
        sha256=spec.source_sha256,
        # older datasets do not say which part of the data they hold
        selection=None
        if spec.selection is None
        else Selection.from_dict(json.loads(spec.selection)),
        quasi=data.quasi,
    )
    equal = (
        None if numbers.equal_sizes is None else EqualRecords.of(numbers.equal_sizes, parameters.k)
    )
    records = AuditedRecords(numbers.record_ids, judged)
    result = conclude(Aggregates.of(judged), described, data, records=records, equal=equal)
    unseen: tuple[Caution, ...] = ()
    if numbers.unseen:
        message = (
            f"sensitive items ({', '.join(numbers.unseen)}) were not audited: the dataset holds "
            f"only the pairs of records with fewer than {spec.k} in their neighbourhood, so that "
            "attribute disclosure was not checked. Sizes and risk are those of all records. "
            "Ingest with `edges='all'`, or audit the data file"
        )
        unseen = (Caution("sensitive-not-audited", message),)
    return dataclasses.replace(result, cautions=(*unseen, *cautions, *result.cautions))


def _data_of(numbers: GraphNumbers) -> tuple[AuditedData, tuple[Caution, ...]]:
    """Return what a store knows of the data, and the cautions that it was told at the ingest."""
    spec = numbers.dataset.spec
    reservations = {} if spec.reservations is None else json.loads(spec.reservations)
    ends = [end for end in (spec.rating_min, spec.rating_max) if end is not None]
    scale = None
    if spec.scale_min is not None and spec.scale_max is not None:
        scale = Scale(spec.scale_min, spec.scale_max, spec.scale_declared)
    data = AuditedData(
        n_records=len(numbers.sizes),
        n_issues=numbers.issues,
        n_ratings=numbers.ratings,
        levels=np.unique(np.array(ends, dtype=np.float64)),
        scale=scale,
        sensitive=tuple(issue.column for issue in numbers.sensitive),
        quasi=spec.quasi,
        **told_to_store(spec.reservations, bool(spec.quasi)),
    )
    return data, tuple(map(Caution.from_dict, reservations.get("cautions", ())))
