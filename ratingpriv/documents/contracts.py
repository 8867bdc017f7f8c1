"""The JSON contracts by name: the types of each, its JSON Schema, and whether a document keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import msgspec

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.documents.anonymize import NotReached, Released
from ratingpriv.documents.attack import Attack
from ratingpriv.documents.audit import Audit
from ratingpriv.documents.describe import Description
from ratingpriv.documents.experiment import Experiment
from ratingpriv.documents.explain import Explanation
from ratingpriv.documents.form import Document, json_schema
from ratingpriv.documents.frontier import Frontier
from ratingpriv.documents.graph import ImportFiles, Ingest, QueryLibrary, QueryResult, Store
from ratingpriv.documents.manifest import Manifest, ReleaseKey
from ratingpriv.documents.partition import Certificate, CertificateCheck, Partition
from ratingpriv.documents.program import Doctor, ErrorReport, Report, Run
from ratingpriv.documents.recommend import Recommendation
from ratingpriv.documents.reproduce import Reproduction
from ratingpriv.documents.utility import Utility
from ratingpriv.documents.verify import Verification

CONTRACTS: Mapping[str, tuple[type[Document], ...]] = {
    "ratingpriv.anonymize/1": (Released, NotReached),
    "ratingpriv.attack/2": (Attack,),
    "ratingpriv.audit/1": (Audit,),
    "ratingpriv.certificate-check/1": (CertificateCheck,),
    "ratingpriv.certificate/1": (Certificate,),
    "ratingpriv.describe/1": (Description,),
    "ratingpriv.doctor/1": (Doctor,),
    "ratingpriv.error/1": (ErrorReport,),
    "ratingpriv.experiment/1": (Experiment,),
    "ratingpriv.explain/1": (Explanation,),
    "ratingpriv.frontier/1": (Frontier,),
    "ratingpriv.import-files/1": (ImportFiles,),
    "ratingpriv.ingest/1": (Ingest,),
    "ratingpriv.key/1": (ReleaseKey,),
    "ratingpriv.manifest/1": (Manifest,),
    "ratingpriv.partition/1": (Partition,),
    "ratingpriv.queries/1": (QueryLibrary,),
    "ratingpriv.query/1": (QueryResult,),
    "ratingpriv.recommend/1": (Recommendation,),
    "ratingpriv.report/1": (Report,),
    "ratingpriv.reproduce/1": (Reproduction,),
    "ratingpriv.run/1": (Run,),
    "ratingpriv.store/1": (Store,),
    "ratingpriv.utility/1": (Utility,),
    "ratingpriv.verify/1": (Verification,),
}
"""Of two types, the first is that of a document whose ``satisfied`` is true."""


def schemas() -> dict[str, str]:
    """Return the contracts by name, such as ``ratingpriv.audit/1``, and what each is, in a sentence."""
    return {name: schema(name)["description"] for name in CONTRACTS}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a contract.

    Parameters
    ----------
    name : as the documents say it under ``schema``: ``ratingpriv.audit/1``, or shorter ``audit/1``, ``audit``

    Raises
    ------
    ParameterError
        There is none of this name and number.
    """
    title = _title(name)
    document, definitions = json_schema(*CONTRACTS[title])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{title.replace('.', ':').replace('/', ':')}",
        "title": title,
        **document,
        "$defs": definitions,
    }


def fault(document: Mapping[str, Any]) -> str | None:
    """Return where a document first breaks the contract that it names; None where it keeps it.

    The place is one of keys and positions, such as ``suite[0].success``, without what stands there.

    Raises
    ------
    ParameterError
        It names no contract of this version.
    """
    types = CONTRACTS[_title(str(document.get("schema")))]
    try:
        msgspec.convert(document, types[0 if document.get("satisfied", True) is True else -1])
    except msgspec.ValidationError as error:
        _, _, place = str(error).partition(" - at `$")
        return place.rstrip("`").removeprefix(".") or "the document"
    return None


def _title(name: str) -> str:
    """Return a contract's name and number, of which the number may be left out."""
    short, slash, number = checks.text("schema", name).removeprefix("ratingpriv.").partition("/")
    known = {one.removeprefix("ratingpriv.").partition("/")[0]: one for one in CONTRACTS}
    if short in known and (not slash or known[short].endswith(f"/{number}")):
        return known[short]
    close = [short] if short in known else get_close_matches(short, known, n=1)
    hint = f"did you mean {known[close[0]]}?" if close else ", ".join(known)
    raise ParameterError("schema", name, "a JSON contract of this version of ratingpriv", hint)
