"""The JSON contracts by name: the types of each, its JSON Schema,
and whether a document keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

import msgspec

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.documents import (
    anonymize,
    attack,
    audit,
    data,
    frontier,
    graph,
    partition,
    program,
    recommend,
    release,
    reproduce,
    utility,
)
from ratingpriv.documents.form import Document, json_schema

_MODULES = (anonymize, attack, audit, data, frontier, graph, partition, program, recommend, release)
_NAMED = [
    (str(one.__struct_config__.tag), one)
    for module in (*_MODULES, reproduce, utility)
    for one in vars(module).values()
    if isinstance(one, type) and issubclass(one, Document) and one.__module__ == module.__name__
]
CONTRACTS: Mapping[str, tuple[type[Document], ...]] = {
    tag: tuple(one for name, one in _NAMED if name == tag)
    for tag in sorted({name for name, _ in _NAMED if name.startswith("ratingpriv.")})
}
"""The type of each document, which is its tag; of two, the first is of one whose ``satisfied`` is
true.
"""


def schemas() -> dict[str, str]:
    """Return the contracts by name, such as ``ratingpriv.audit/1``, and what each is,
    in a sentence.
    """
    return {name: schema(name)["description"] for name in CONTRACTS}


def schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a contract.

    Parameters
    ----------
    name : as the documents say it under ``schema``: ``ratingpriv.audit/1``, or shorter ``audit/1``,
        ``audit``

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
        _, _, path = str(error).partition(" - at `$")
        return path.rstrip("`").removeprefix(".") or "the document"
    return None


def _title(name: str) -> str:
    """Return a contract's name and number, of which the number may be left out."""
    short, slash, number = checks.text("schema", name).removeprefix("ratingpriv.").partition("/")
    contract_of = {
        contract.removeprefix("ratingpriv.").partition("/")[0]: contract for contract in CONTRACTS
    }
    if short in contract_of and (not slash or contract_of[short].endswith(f"/{number}")):
        return contract_of[short]
    close = [short] if short in contract_of else get_close_matches(short, contract_of, n=1)
    hint = f"did you mean {contract_of[close[0]]}?" if close else ", ".join(contract_of)
    raise ParameterError("schema", name, "a JSON contract of this version of ratingpriv", hint)
