"""Whether what a parameter names is in the dataset: a record, an issue, a group, a run or a release.

A query of something that is not there has no rows, which in an audit reads as "nothing was found". So every
parameter whose header says ``of record`` (and so on, see :data:`ratingpriv.graph.catalogue.NAMED`) is looked
up before the query is run.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.catalogue import Parameter, Query
from ratingpriv.graph.loading import LoadableStore
from ratingpriv.graph.store import DatasetInfo

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}", re.ASCII)  # of 64 bits

_LISTED = {
    "record": "audit/record-ids",
    "hamming-group": "audit/hamming-groups",
    "sensitive-issue": "audit/sensitive-levels",
    "run": "partition/runs/list",
    "release": "anonymize/releases",
}
"""The query that lists what there is."""


def check_named(
    store: LoadableStore, info: DatasetInfo, query: Query, values: dict[str, Any]
) -> tuple[tuple[str, ...], tuple[object, ...]]:
    """Refuse a query of something that the dataset does not have.

    A record named by a whole number is the one whose id is a text of the same digits where no id is that
    number, and the other way round; ``values`` is corrected then.

    Returns
    -------
    released, seen
        The datasets that its releases were loaded as, which have to fit the query too; how the runs and
        releases were that it names, something else after they were changed.

    Raises
    ------
    ParameterError
        A record, an issue, a Hamming group, a run or a release is not there, or not to its end; the message
        has near names, except of records.
    """
    released: list[str] = []
    seen: list[object] = []
    for parameter in query.params:
        if parameter.names is None:
            continue
        value = values[parameter.name]
        if parameter.names == "record":
            listed = parameter.type.startswith("LIST")
            ids = _records(store, info, query, parameter, value if listed else [value])
            values[parameter.name] = ids if listed else ids[0]
        elif parameter.names == "hamming-group":
            if not store.one("load/named-groups", dataset=info.spec.name, values=[value]):
                raise _missing(parameter, value, "a Hamming group", info.spec.name, "hamming-group")
        elif parameter.names in ("sensitive-issue", "numeric-issue"):
            labels: dict[str, Any] = dict(store.one("load/sensitive-issues", dataset=info.spec.name))
            if value not in labels:
                raise _missing(
                    parameter, value, "a sensitive issue", info.spec.name, "sensitive-issue", list(labels)
                )
            if parameter.names == "numeric-issue" and labels[value] is not None:
                what = f"a sensitive issue of numbers of dataset {info.spec.name!r}: this one is nominal"
                raise ParameterError(parameter.name, value, what, "ask audit/inference")
        elif parameter.names == "rating-unit":
            _check_unit(store, info, parameter, value)
        elif parameter.names in ("run", "complete-run"):
            seen.append(_run(store, info.spec.name, parameter, value))
        elif parameter.names == "release-run":
            seen.append(_run(store, released[-1], parameter, value))
        else:
            seen.append(_release(store, info, parameter, value))
            released.append(str(seen[-1][2]))  # type: ignore[index]
    return tuple(released), tuple(seen)


def _records(
    store: LoadableStore, info: DatasetInfo, query: Query, parameter: Parameter, ids: list[Any]
) -> list[Any]:
    """Return the ids as the dataset has them; ParameterError where it does not."""
    scalars = [id_ for id_ in ids if isinstance(id_, str | int) and not isinstance(id_, bool)]
    scalars += [other for id_ in scalars if (other := _other(id_)) is not None]
    rows = store.one("load/named-records", dataset=info.spec.name, values=scalars) if scalars else []
    pairs_of = {(type(id_), id_): pairs for id_, pairs in rows}
    ids = [_as_there(id_, pairs_of) for id_ in ids]
    for id_ in ids:
        if not isinstance(id_, str | int) or (type(id_), id_) not in pairs_of:
            what = "a record"
            if info.spec.pseudonymized:
                what = "the pseudonym of a record"
            raise _missing(parameter, id_, what, info.spec.name, "record")
        if "PROXIMATE-AT-RISK" in query.reads and not pairs_of[type(id_), id_]:
            raise ParameterError(
                parameter.name,
                id_,
                f"a record at risk: dataset {info.spec.name!r} holds only the pairs of records with fewer "
                f"than {info.spec.k} in their neighbourhood",
                "ingest it again with `edges='all'`",
            )
    return ids


def _other(id_: str | int) -> str | int | None:
    """Return the same id as a text, or as the whole number that it spells; None if it spells none."""
    if isinstance(id_, int):
        return str(id_)
    return int(id_) if _WHOLE.fullmatch(id_) else None


def _as_there(id_: Any, pairs_of: Mapping[tuple[type, Any], Any]) -> Any:
    """Return an id as the dataset has it, a text or a number, where it has only one of the two."""
    if not isinstance(id_, str | int) or isinstance(id_, bool) or (type(id_), id_) in pairs_of:
        return id_
    other = _other(id_)
    return other if (type(other), other) in pairs_of else id_


def _check_unit(store: LoadableStore, info: DatasetInfo, parameter: Parameter, unit: float) -> None:
    """Refuse a unit that rounds a rating: records that are apart would be compared as equal."""
    question = (info.spec.name, info.created_at, info.spec.fingerprint, unit)
    if unit == 0 or question in store.whole:
        return
    if store.one("load/not-whole", dataset=info.spec.name, unit=unit)[0][0]:
        what = "10 to the number of decimals of the ratings, so that each times it is a whole number"
        raise ParameterError(parameter.name, unit, what, "1 for whole ratings, 10 for one decimal")
    store.whole.add(question)


def _run(store: LoadableStore, dataset: str, parameter: Parameter, name: str) -> tuple[Any, ...]:
    runs = {row[0]: row[1:] for row in store.one("load/runs", dataset=dataset)}
    if name not in runs:
        raise _missing(parameter, name, "a run", dataset, "run", list(runs))
    if parameter.names != "run" and not runs[name][0]:
        raise ParameterError(
            parameter.name,
            name,
            f"a run of dataset {dataset!r} that is complete: this one was broken off, or is under way",
            "partition/decompose makes it again",
        )
    return runs[name]


def _release(store: LoadableStore, info: DatasetInfo, parameter: Parameter, name: str) -> tuple[Any, ...]:
    releases = {row[0]: row[1:] for row in store.one("load/releases", dataset=info.spec.name)}
    if name not in releases:
        raise _missing(parameter, name, "a release", info.spec.name, "release", list(releases))
    complete, linked, *_ = releases[name]
    if not complete or (parameter.names == "linked-release" and not linked):
        what, remedy = (
            ("with its key: this one came without", "ingest it again with its `key`")
            if complete
            else ("that was loaded to its end: this one was not", "run its ratingpriv ingest again")
        )
        raise ParameterError(parameter.name, name, f"a release of dataset {info.spec.name!r} {what}", remedy)
    return releases[name]


def _missing(
    parameter: Parameter,
    value: object,
    what: str,
    dataset: str,
    kind: str,
    known: list[str] | None = None,
) -> ParameterError:
    near = difflib.get_close_matches(str(value), known or (), n=3, cutoff=0.5)
    listed = f"ratingpriv query run {_LISTED[kind]} lists them"
    hint = f"did you mean {' or '.join(map(repr, near))}? {listed}" if near else listed
    return ParameterError(parameter.name, value, f"{what} of dataset {dataset!r}", hint)
