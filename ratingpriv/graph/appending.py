"""Adding records to a dataset in a store: what may grow, and what a file must be to go on from it.

The file is the whole one, whose first records are those that are there. Of these only the sizes of
neighbourhoods and of Hamming groups change; every new pair has a new record as its later end.
Whatever else could differ from an ingest of the whole file is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import DatasetIncompleteError, ParameterError, UnknownDatasetError
from ratingpriv.base.numbers import in_full
from ratingpriv.graph.datasets import rules_in_words

if TYPE_CHECKING:
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import DatasetSpec

FORM = "records 1"
"""How a fingerprint begins by which a file is known to go on from a dataset."""

_WHOLE = "ingest the whole file again without `append`"


def base_of(store: GraphStore, name: str) -> DatasetSpec:
    """Return the dataset to which records can be added, or are being added.

    Errors say why they cannot.
    """
    try:
        info = store.dataset(name)
    except UnknownDatasetError as error:
        raise ParameterError(
            "dataset", name, error.expected, "ingest it first, without `append`"
        ) from error
    spec = info.spec
    if not (info.complete or info.growing):
        raise DatasetIncompleteError(
            store.uri,
            f"dataset {name!r} is not complete",
            "run its ratingpriv ingest again, then `append`",
        )
    if not spec.fingerprint.startswith(FORM):
        expected = (
            f"a dataset with a fingerprint of its records: {name!r} was ingested by an "
            f"earlier version"
        )
        raise ParameterError("append", name, expected, _WHOLE)
    if spec.edges != "all":
        expected = (
            f"a dataset with all pairs: {name!r} has those of records at risk, which new "
            f"records change"
        )
        raise ParameterError("append", name, expected, _WHOLE)
    if made := store.one("load/made", dataset=name):
        raise _made(name, made)
    return spec


def _made(name: str, made: list[tuple[Any, ...]]) -> ParameterError:
    """Return the error for a dataset of whose records all something was said."""
    of = [one for kind, one in made if kind == "original"]
    if of:
        expected = f"a dataset that is no release: {name!r} is one of {of[0]!r}"
        return ParameterError(
            "append", name, expected, "ingest the release of the grown data as a new one"
        )
    names = ", ".join(f"{kind} {one!r}" for kind, one in made)
    expected = f"a dataset without runs and releases: {names} would leave the new records out"
    remedy = (
        "remove runs with ratingpriv query run partition/runs/remove, releases with ratingpriv "
        "store drop "
        f"NAME/RUN; or {_WHOLE}, which removes them"
    )
    return ParameterError("append", name, expected, remedy)


def check_options(
    base: DatasetSpec, *, epsilon: float, nulls: str, edges: str, ratings: bool, pseudonymize: bool
) -> None:
    """Refuse other options than those of the ingest, before anything is counted."""
    same: tuple[tuple[str, Any, Any], ...] = (
        ("epsilon", epsilon, base.epsilon_max),
        ("nulls", nulls, base.nulls),
        ("edges", edges, base.edges),
        ("ratings", ratings, base.all_ratings),
        ("pseudonymize", pseudonymize, base.pseudonymized),
    )
    for name, requested, stored in same:
        if requested != stored:
            raise _differs(
                base, name, requested, in_full(stored) if isinstance(stored, float) else stored
            )


def check_grows(base: DatasetSpec, spec: DatasetSpec, fingerprint: str) -> None:
    """Refuse data that do not go on from ``base``;
    ``fingerprint`` is that of as many of their records.
    """
    if spec.records < base.records:
        expected = f"the {base.records} records of dataset {base.name!r} and those after them"
        raise ParameterError("append", f"{spec.records} records", expected, _WHOLE)
    if spec.quasi != base.quasi:
        raise _differs(
            base, "quasi", rules_in_words(spec.quasi) or None, rules_in_words(base.quasi) or "none"
        )
    if records_part(fingerprint) != records_part(base.fingerprint):
        expected = (
            f"data whose first {base.records} records, and all columns, are those of "
            f"dataset {base.name!r}"
        )
        raise ParameterError("append", "other records", expected, f"compare the files, or {_WHOLE}")
    scales = [
        (spec_compared.scale_min, spec_compared.scale_max, spec_compared.scale_declared)
        for spec_compared in (spec, base)
    ]
    if scales[0] != scales[1]:
        raise _differs(base, "scale", _scale(spec), _scale(base))
    if (spec.levels, spec.every_level) != (base.levels, base.every_level):
        levels = [", ".join(map(in_full, spec_compared.levels)) for spec_compared in (spec, base)]
        expected = f"the distances of dataset {base.name!r} ({levels[1]}): new ratings bring others"
        raise ParameterError("append", f"distances {levels[0]}", expected, _WHOLE)


def records_part(fingerprint: str) -> str:
    """Return the part of a fingerprint that says the records, whatever comes after them."""
    return fingerprint.rpartition(";")[0]


def _scale(spec: DatasetSpec) -> str:
    if spec.scale_min is None or spec.scale_max is None:
        return "none"
    ends = f"{in_full(spec.scale_min)}:{in_full(spec.scale_max)}"
    return ends if spec.scale_declared else f"{ends} as found in the data"


def _differs(base: DatasetSpec, name: str, asked: Any, there: Any) -> ParameterError:
    expected = f"{there}, as dataset {base.name!r} was ingested"
    return ParameterError(name, asked, expected, f"say the same, or {_WHOLE}")
