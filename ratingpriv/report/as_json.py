"""A result as JSON text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.documents import partition as documents
from ratingpriv.documents.making import document_of
from ratingpriv.report.plain import write_text

if TYPE_CHECKING:
    from ratingpriv.data.table.description import TableDescription
    from ratingpriv.partition.certificate_check import CertificateCheck


def json_text(content: dict[str, Any], *, ascii_only: bool = False) -> str:
    """Return ``content`` (a result's ``to_dict()``) as indented JSON that ends in a newline.

    ``ascii_only`` escapes all other characters, for an output that is not UTF-8. NaN and infinity
    are refused (ValueError): they are not JSON.
    """
    return json.dumps(content, indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n"


def write_json(
    content: dict[str, Any], path: str | Path, *, force: bool = False, private: bool = False
) -> None:
    """Write ``content`` to ``path``, whole or not at all; errors as :func:`.files.replacing`."""
    write_text(json_text(content), path, force=force, private=private)


def check_dict(check: CertificateCheck, dataset: TableDescription) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.certificate-check/1``."""
    return document_of(
        documents.CertificateCheck,
        check,
        selection=dataset.selection,
        claimed=check.claim,
        demanded=check.demand,
        accepted=check.standing.accepted,
    )
