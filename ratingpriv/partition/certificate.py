"""A certificate: a file that lets anyone with the data confirm a partition,
without trusting what made it.

JSON, ``{"schema": "ratingpriv.certificate/1", "dataset", "parameters", "groups": [...], "withheld":
[...]}``. A group names its records and, for each issue they rate, the least and the largest
rating: [least, largest]. Where there are quasi-identifiers, ``"quasi"`` has the rule of each and
how it was recoded; values stay in the data. The checker is ``certificate_check.py``; it shares no
code with what finds or verifies groups.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import replacing
from ratingpriv.base.inputs import protecting
from ratingpriv.base.numbers import EXACT, inexact
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.result import PartitionResult

SCHEMA = "ratingpriv.certificate/1"


def certificate(result: PartitionResult, table: RatingTable) -> dict[str, Any]:
    """Return the certificate of the groups of ``result``, which were found in ``table``.

    ParameterError where the table is another one, or ε or l have more digits than a certificate may
    state.
    """
    if len(result.groups.labels) != table.n_records:
        raise ParameterError(
            "table", table.n_records, f"the {len(result.groups.labels)} records of the result"
        )
    target, ids = result.parameters, table.record_ids.to_list()
    tolerances = [(f"quasi {column.name}", column.within) for column in table.quasi]
    for name, value in (("epsilon", target.epsilon), ("l", target.l), *tolerances):
        if value is not None and inexact(repr(value)) is not None:
            raise ParameterError(name, value, f"{EXACT}, in a certificate", "round it")
    groups = []
    for members in result.groups.members():
        entries = np.concatenate([np.arange(*table.indptr[t : t + 2]) for t in members]).astype(
            np.int64
        )
        order = np.argsort(table.indices[entries], kind="stable")
        ratings = table.levels[table.codes[entries]][order]
        issues, first = np.unique(table.indices[entries][order], return_index=True)
        ends = zip(
            np.minimum.reduceat(ratings, first), np.maximum.reduceat(ratings, first), strict=True
        )
        names = [table.issues[issue] for issue in issues]
        ranges = {
            name: [float(least), float(most)]
            for name, (least, most) in zip(names, ends, strict=True)
        }
        groups.append({"records": [ids[t] for t in members.tolist()], "ranges": ranges})
    return {
        "schema": SCHEMA,
        "dataset": {
            "name": table.origin.name,
            "records": table.n_records,
            "sha256": table.origin.sha256,
        },
        "parameters": {
            "k": target.k,
            "epsilon": target.epsilon,
            "l": target.l,
            "nulls": target.nulls,
            "sensitive_nulls": target.sensitive_nulls,
        },
        **({"quasi": [column.to_dict() for column in table.quasi]} if table.quasi else {}),
        "groups": groups,
        "withheld": [ids[t] for t in result.groups.unplaced.tolist()],
    }


def write_certificate(
    result: PartitionResult, table: RatingTable, path: str | Path, *, force: bool = False
) -> None:
    """Write the certificate to ``path``, whole or not at all.

    Errors as :func:`certificate` and of files.
    """
    content = certificate(result, table)
    with (
        protecting([table.origin.place]),
        replacing(path, force=force, private=True) as temporary,
        temporary.open("w", encoding="utf-8", errors="backslashreplace") as file,
    ):
        json.dump(content, file, ensure_ascii=False)
        file.write("\n")
