"""Saved JSON documents, recognised by their schema and held to it,
and to the files they are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.numbers import strict_json
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.contracts import CONTRACTS, fault
from ratingpriv.report.overview.material import PARTS, data_of, release_of

_MOST = 256 << 20
"""Bytes of a document that are read: what is cut off there is no JSON."""
_WHOLE = range(-(1 << 63), 1 << 64)  # a seed may be larger than what float64 holds
_OURS = {f"ratingpriv.{part}/": part for part in PARTS if part != "audit_release"}
_SIZE = ("records", "issues", "ratings", "selection")


def read_documents(
    paths: Iterable[str], *, data: RatingTable | None = None, release: RatingTable | None = None
) -> dict[str, dict[str, Any]]:
    """Return saved documents by the part they have in a report (:data:`~.material.PARTS`).

    Documents of other commands, such as ``describe``, are checked and left out.

    Parameters
    ----------
    paths : JSON files as ``--json`` prints them and ``--output`` writes them; a report's holds
        several
    data, release : what they have to be about, the same part of it too; None: whatever the first is
        about

    Raises
    ------
    DataError
        A file is not there, is no such document, or breaks its schema.
    ParameterError
        One is about other data, or there are two of a kind.
    """
    named = [(path, document, _part(document)) for path in paths for document in _read(path)]
    described = [release_of(part, document) for _, document, part in named]
    releases = {dataset["sha256"] for dataset in described if dataset is not None}
    if release is not None:
        releases.add(release.origin.sha256)
    documents: dict[str, dict[str, Any]] = {}
    for path, document, part in named:
        if part == "audit" and document["dataset"]["sha256"] in releases - {None}:
            part = "audit_release"
        if part in documents:
            remedy = (
                "of two audits one is of the release, and its verification or its attack says which"
            )
            raise ParameterError("from", path, f"one document of the kind {part}", remedy)
        documents[part] = document
    _hold_to(documents, "data", data_of, data)
    _hold_to(documents, "release", release_of, release)
    audits = [
        documents[part]["parameters"] for part in ("audit", "audit_release") if part in documents
    ]
    if any(parameters != audits[0] for parameters in audits):
        raise ParameterError(
            "from", "two audits with different parameters", "audits for the same target"
        )
    return documents


def _part(document: Mapping[str, Any]) -> str:
    return next(part for start, part in _OURS.items() if document["schema"].startswith(start))


def _hold_to(
    documents: Mapping[str, Mapping[str, Any]],
    side: str,
    described: Callable[[str, Mapping[str, Any]], Mapping[str, Any] | None],
    table: RatingTable | None,
) -> None:
    """Refuse documents that are not about the same file, or not about the same part of it."""
    files, sizes = [], []
    if table is not None:
        selection = None if table.selection is None else table.selection.to_dict()
        files.append(table.origin.sha256)
        sizes.append((table.n_records, table.n_issues, table.n_ratings, selection))
    given = "given" if table is not None else "that the others are about"
    for part, document in documents.items():
        if (about := described(part, document)) is None:
            continue
        if about["sha256"] is None:
            remedy = "results about a data frame have no hash: run the commands on files"
            raise ParameterError(
                "from", f"{part} without a SHA-256 of the {side}", "one with it", remedy
            )
        files.append(about["sha256"])
        if files[-1] != files[0]:
            raise ParameterError("from", f"{part} of another file", f"one of the {side} {given}")
        if "records" in about:
            sizes.append(tuple(about[key] for key in _SIZE))
            if sizes[-1] != sizes[0]:
                remedy = (
                    "give every command the same options that say what the data are and "
                    "which part of them"
                )
                other = f"{part} of another part of the {side}"
                raise ParameterError("from", other, f"the part of the {side} {given}", remedy)


def _read(path: str) -> Iterator[dict[str, Any]]:
    """Yield the documents of a file that a report has."""
    try:
        with Path(path).open("rb") as file:
            document = strict_json(file.read(_MOST), whole=_WHOLE)
    except OSError as error:
        raise _no_document(path, f"no file to be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise _no_document(path, "no JSON") from error
    _check(path, document)
    if document["schema"].startswith("ratingpriv.report/"):
        for saved in document["documents"].values():
            _check(path, saved)
            yield saved
    elif document["schema"].startswith(tuple(_OURS)):
        yield document


def _check(path: str, document: Any) -> None:
    """Refuse what is no document of a report, or breaks its schema."""
    name = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(name, str) or name not in CONTRACTS:
        raise _no_document(path, "no document of this version of ratingpriv")
    if (where := fault(document)) is not None:
        actual = (
            f"a document {name} that is damaged, or of another version of ratingpriv: at {where}"
        )
        raise _no_document(
            path, actual, "run the command again with this version, and save its result"
        )


def _no_document(path: str, found: str, remedy: str = "save one") -> DataError:
    expected = (
        "a result of audit, frontier, attack, utility, recommend, anonymize, verify or "
        "report as JSON"
    )
    return DataError(Problem(path, found, expected, f"{remedy} with -o FILE.json"))
