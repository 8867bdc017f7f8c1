"""The audit of a dataset in a graph store: counted there by Cypher, concluded as every other audit is."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.audit.aggregates import Aggregates
from ratingpriv.audit.conclusion import conclude
from ratingpriv.audit.inference import as_decimal
from ratingpriv.audit.judging import Judged
from ratingpriv.audit.records import AuditedRecords
from ratingpriv.audit.result import AuditedDataset, AuditParameters, AuditResult
from ratingpriv.base.cautions import Caution
from ratingpriv.base.errors import ParameterError, QueryFailedError
from ratingpriv.base.progress import Progress
from ratingpriv.base.tally import tally
from ratingpriv.data.table import QuasiRule, Scale, Selection, SensitiveColumn
from ratingpriv.data.table.description import ColumnsDescription
from ratingpriv.graph.auditing import GraphNumbers, IssueNumbers, audit_numbers
from ratingpriv.graph.store import DatasetInfo
from ratingpriv.proximity.counts import CountsBuilder, SensitiveCounts
from ratingpriv.proximity.moments import SensitiveMoments
from ratingpriv.proximity.neighbourhoods import EqualRecords, Neighbourhoods

ENGINE = "cypher"
"""The engine's name in results: the queries of ``cypher/audit`` on a graph store."""


def audit_stored(
    dataset: DatasetInfo, parameters: AuditParameters, *, as_ingested: bool, progress: Progress | None = None
) -> AuditResult:
    """Decide for a dataset in a graph store what is decided of a table, by its Cypher queries.

    Implements [SWLZ11, Def. 4.2 and 4.3]. The result is that of the data file, field by field, but for the
    dataset's name, the engine (``cypher``), record ids that were replaced by pseudonyms, and what no store is
    told: the columns that are carried, and what the others were taken for. Of a dataset that holds the pairs
    of records at risk only, sizes and risk are audited and sensitive issues are not: a caution names them.

    Parameters
    ----------
    parameters : what is asked for; the null rule "known" needs the ratings in the store and no pairs, so that
        any epsilon will do
    as_ingested : whether the null rule is the one that the dataset was ingested under, whatever it is
    progress : as for :func:`ratingpriv.audit.verdict.audit`

    Raises
    ------
    ParameterError
        Epsilon is above the one of the ingest; the dataset was ingested under the other null rule; it holds
        only the pairs of records at risk, and something is demanded of sensitive issues or its records have
        no sizes at ``epsilon``; under "known", it holds no ratings; it has no records, or, with ``l``, no
        sensitive issue of numbers.
    UnknownDatasetError, DatasetIncompleteError
        It is no longer there, or was not loaded to its end.
    StoreError
        The store failed.
    """
    store, name = dataset.store, dataset.spec.name
    dataset = store.dataset(name)  # as it is now
    rule = parameters.nulls
    if as_ingested:
        rule = dataset.spec.nulls
    elif rule not in ("known", dataset.spec.nulls):
        remedy = f"ingest it again with `nulls={rule!r}`, or leave `nulls` out"
        raise ParameterError("nulls", rule, f"{dataset.spec.nulls}, as dataset {name!r} was ingested", remedy)
    parameters = dataclasses.replace(parameters, nulls=rule)
    if rule != "known":
        _refuse_unseen(dataset, parameters)
    numbers = audit_numbers(store, name, parameters.epsilon, known=rule == "known", progress=progress)
    if rule not in ("known", numbers.dataset.spec.nulls):
        raise QueryFailedError(
            store.uri, f"the dataset {name!r} was replaced meanwhile", "run the audit again"
        )
    data = _StoredData.of(numbers)
    numeric = any(not column.nominal for column in data.sensitive)
    parameters.check_data(data.n_records, sensitive=bool(data.sensitive), numeric=numeric)
    neighbourhoods = Neighbourhoods(
        epsilon=parameters.epsilon,
        nulls=rule,
        engine=ENGINE,
        sizes=numbers.sizes,
        moments=tuple(_moments(issue) for issue in numbers.sensitive),
        counts=tuple(_counts(issue, parameters.entropy) for issue in numbers.sensitive),
    )
    judged = Judged.of(
        neighbourhoods, parameters, [column.name for column in data.sensitive if column.nominal]
    )
    records = AuditedRecords(numbers.record_ids, judged)
    equal = None if numbers.equal_sizes is None else EqualRecords.of(numbers.equal_sizes, parameters.k)
    result = conclude(Aggregates.of(judged), _describe(numbers, data), data, records=records, equal=equal)
    return dataclasses.replace(result, cautions=(*_unseen(numbers), *data.cautions, *result.cautions))


def _refuse_unseen(info: DatasetInfo, parameters: AuditParameters) -> None:
    """Refuse demands on sensitive issues where not all pairs are in the store."""
    demands = {"l": parameters.l, **parameters.demands}
    for name, value in demands.items():
        if value is not None and info.spec.edges != "all":
            what = (
                f"no demand on sensitive issues: dataset {info.spec.name!r} holds only the pairs of records "
            )
            what += f"with fewer than {info.spec.k} in their neighbourhood, "
            what += "so that nobody knows who is in the others"
            raise ParameterError(name, value, what, "ingest it again with `edges='all'`")


def _unseen(numbers: GraphNumbers) -> Iterator[Caution]:
    """Yield that nothing is said of sensitive issues where their neighbourhoods are not in the store."""
    if numbers.unseen:
        spec = numbers.dataset.spec
        yield Caution(
            "sensitive-not-audited",
            f"sensitive issues ({', '.join(numbers.unseen)}) were not audited: the dataset holds only the "
            f"pairs of records with fewer than {spec.k} in their neighbourhood, so that nothing is said "
            "here of what the neighbourhoods give away. Sizes and risk are those of all records. Ingest "
            "with `edges='all'`, or audit the data file",
        )


@dataclass(frozen=True, slots=True)
class _StoredData:
    """What the cautions need to know, as the store knows it: a :class:`ratingpriv.audit.cautions.Audited`."""

    n_records: int
    n_issues: int
    n_ratings: int
    levels: NDArray[np.float64]
    scale: Scale | None
    sensitive: tuple[SensitiveColumn, ...]
    quasi: tuple[QuasiRule, ...]
    issue_ranges: Mapping[str, tuple[float, float]] | None
    lacks_quasi: bool
    cautions: tuple[Caution, ...]
    repeats: tuple[tuple[str, int, int], ...] = ()  # which is in ``cautions``
    carried: tuple[QuasiRule, ...] = ()  # no store is told any of these
    guessed: tuple[str, ...] = ()
    spellings: None = None
    uncounted: tuple[str, ...] = ()
    joined: None = None  # what it says of a verdict is in ``cautions``

    @classmethod
    def of(cls, numbers: GraphNumbers) -> _StoredData:
        spec = numbers.dataset.spec
        reservations = {} if spec.reservations is None else json.loads(spec.reservations)
        ends = [end for end in (spec.rating_min, spec.rating_max) if end is not None]
        return cls(
            n_records=len(numbers.sizes),
            n_issues=numbers.issues,
            n_ratings=numbers.ratings,
            levels=np.unique(np.array(ends, dtype=np.float64)),
            scale=_scale(numbers.dataset),
            sensitive=tuple(_column(issue) for issue in numbers.sensitive),
            quasi=spec.quasi,
            issue_ranges=reservations.get("ranges"),
            lacks_quasi=reservations.get("lacks_quasi", bool(spec.quasi)),
            cautions=tuple(map(Caution.from_dict, reservations.get("cautions", ()))),
        )


def _scale(info: DatasetInfo) -> Scale | None:
    spec = info.spec
    if spec.scale_min is None or spec.scale_max is None:
        return None
    return Scale(spec.scale_min, spec.scale_max, spec.scale_declared)


def _column(issue: IssueNumbers) -> SensitiveColumn:
    """Return all ratings of an issue, in ascending order rather than the records', nulls last."""
    known = np.repeat(issue.levels, issue.counts)
    values = np.concatenate((known, np.zeros(issue.nulls)))
    return SensitiveColumn(issue.name, values, np.arange(len(values)) < len(known), issue.labels)


def _moments(issue: IssueNumbers) -> SensitiveMoments:
    return SensitiveMoments(issue.name, issue.known, issue.sums, issue.squares, issue.shift, issue.decimals)


def _counts(issue: IssueNumbers, entropy: float | None) -> SensitiveCounts:
    n = len(issue.known)
    builder = CountsBuilder(issue.name, n, n, None if entropy is None else as_decimal(entropy))
    builder.add_sparse(np.arange(n), issue.position, issue.records)
    return builder.result(np.arange(n))


def _describe(numbers: GraphNumbers, data: _StoredData) -> AuditedDataset:
    groups, spec = numbers.hamming_group_sizes, numbers.dataset.spec
    return AuditedDataset(
        name=spec.name,
        records=data.n_records,
        issues=data.n_issues,
        sensitive=tuple(column.name for column in data.sensitive),
        nominal=tuple(column.name for column in data.sensitive if column.nominal),
        ratings=data.n_ratings,
        scale=data.scale,
        hamming_group_sizes=tally(groups),
        sha256=spec.source_sha256,
        selection=_selection(spec.selection),
        columns=ColumnsDescription(quasi=data.quasi),
    )


def _selection(text: str | None) -> Selection | None:
    """Return what the store says of the part of the data it holds; older datasets say nothing."""
    return None if text is None else Selection.from_dict(json.loads(text))
