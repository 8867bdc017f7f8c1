"""Saved JSON documents, recognised by their schema and held to it, and to the files they are about."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.table import RatingTable
from ratingpriv.documents import schemas
from ratingpriv.documents.contracts import fault
from ratingpriv.report.overview.material import PARTS

_MOST = 256 << 20
"""Bytes of a document."""

_REPORT = "ratingpriv.report/1"
_OURS = {f"ratingpriv.{part}/": part for part in PARTS if part != "audit_release"}


def read_documents(
    paths: Iterable[str], *, data: RatingTable | None = None, release: RatingTable | None = None
) -> dict[str, dict[str, Any]]:
    """Return saved documents by the part they have in a report (:data:`~.material.PARTS`).

    Documents of other commands, such as ``describe``, are checked and left out.

    Parameters
    ----------
    paths : JSON files as ``--json`` prints them and ``--output`` writes them; a report's holds several
    data, release : what they have to be about, the same part of it too; None: whatever the first is about

    Raises
    ------
    DataError
        A file is not there, is no such document, or breaks its schema.
    ParameterError
        One is about other data, or there are two of a kind.
    """
    named = [pair for path in paths for pair in _documents(path)]
    releases = {sha for _, document in named for sha in _of_release(document)}
    if release is not None and release.origin.sha256 is not None:
        releases.add(release.origin.sha256)
    documents: dict[str, dict[str, Any]] = {}
    for name, document in named:
        part = _part(document)
        if part == "audit" and document["dataset"]["sha256"] in releases:
            part = "audit_release"
        if part in documents:
            remedy = "of two audits one is of the release, and its verification or its attack says which"
            raise ParameterError("from", name, f"one document of the kind {part}", remedy)
        documents[part] = document
    _hold_to(documents, "data", _data_of, data)
    _hold_to(documents, "release", _release_of, release)
    audits = [documents[part]["parameters"] for part in ("audit", "audit_release") if part in documents]
    if any(parameters != audits[0] for parameters in audits):
        raise ParameterError("from", "two audits with different parameters", "audits for the same target")
    return documents


def _hold_to(
    documents: Mapping[str, Mapping[str, Any]],
    side: str,
    described: Callable[[str, Mapping[str, Any]], tuple[Any, ...] | None],
    table: RatingTable | None,
) -> None:
    """Refuse documents that are not about the same file, or not about the same part of it."""
    same = None if table is None else _of_table(table)
    given = "given" if table is not None else "that the others are about"
    for part, document in documents.items():
        about = described(part, document)
        if about is None:
            continue
        if about[0] is None:
            remedy = "results about a data frame have no hash: run the commands on files"
            raise ParameterError("from", f"{part} without a SHA-256 of the {side}", "one with it", remedy)
        if same is not None and about[0] != same[0]:
            raise ParameterError("from", f"{part} of another file", f"one of the {side} {given}")
        if same is not None and len(about) > 1 and len(same) > 1 and about[1:] != same[1:]:
            remedy = "give every command the same options that say what the data are and which part of them"
            other = f"{part} of another part of the {side}"
            raise ParameterError("from", other, f"the part of the {side} {given}", remedy)
        same = about if same is None or len(same) < len(about) else same


def _data_of(part: str, document: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Return the hash, and how much of the data it was, of the data that a document is about."""
    if part == "utility":
        return _described(document["original"], document["original"]["selection"])
    if part in ("audit", "frontier", "attack", "recommend"):
        return _described(document["dataset"], document["selection"])
    return None


def _release_of(part: str, document: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """Return the same of the release."""
    if part == "audit_release":
        return _described(document["dataset"], document["selection"])
    if part == "utility":
        return _described(document["release"], document["release"]["selection"])
    if part == "attack" and document.get("release") is not None:
        return _described(document["release"]["dataset"], document["release"]["selection"])
    return (document["release_sha256"],) if part in ("verify", "anonymize") else None


def _of_table(table: RatingTable) -> tuple[Any, ...]:
    selection = None if table.selection is None else table.selection.to_dict()
    return (table.origin.sha256, table.n_records, table.n_issues, table.n_ratings, selection)


def _described(dataset: Mapping[str, Any], selection: Any) -> tuple[Any, ...]:
    return (dataset["sha256"], dataset["records"], dataset["issues"], dataset["ratings"], selection)


def _of_release(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the hashes that a document has of a release."""
    found = _release_of(_part(document), document)
    if found is not None and found[0] is not None:
        yield found[0]


def _part(document: Mapping[str, Any]) -> str:
    return next(part for start, part in _OURS.items() if document["schema"].startswith(start))


def _documents(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the documents of a file, each with the name it is spoken of by."""
    document = _read(path)
    if document["schema"] == _REPORT:
        for one in document["documents"].values():
            _check(path, one)
            yield path, one
    elif document["schema"].startswith(tuple(_OURS)):
        yield path, document


def _read(path: str) -> dict[str, Any]:
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MOST + 1)
        if len(content) > _MOST:
            raise ValueError("a file that is too large")
        document = json.loads(
            content, parse_constant=_refused, parse_float=_number, object_pairs_hook=_object
        )
    except OSError as error:
        raise _no_document(path, f"no file to be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError and JSONDecodeError, too
        raise _no_document(path, "no JSON") from error
    _check(path, document)
    return dict(document)


def _check(path: str, document: Any) -> None:
    """Refuse what is no document of a report, or breaks its schema."""
    name = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(name, str) or name not in schemas():
        raise _no_document(path, "no document of this version of ratingpriv")
    if (where := fault(document)) is not None:
        found = f"a document {name} that is damaged, or of another version of ratingpriv: at {where}"
        raise _no_document(path, found, "run the command again with this version, and save its result")


def _no_document(path: str, found: str, remedy: str = "save one") -> DataError:
    expected = "a result of audit, frontier, attack, utility, recommend, anonymize, verify or report as JSON"
    return DataError(Problem(path, found, expected, f"{remedy} with -o FILE.json"))


def _refused(text: str) -> Any:
    raise ValueError(text)


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refused(text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key a second time")
    return made
