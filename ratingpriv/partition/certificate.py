"""A certificate: a file that lets anyone with the data confirm a partition, without trusting what made it.

JSON, ``{"schema": "ratingpriv.certificate/1", "dataset", "parameters", "groups": [...], "withheld":
[...]}``. A group names its records and, for each issue they rate, the least and the largest rating: [least,
largest]. Where there are quasi-identifiers, ``"quasi"`` has the rule of each and how it was recoded; values
stay in the data. The checker is ``certificate_check.py``; it shares no code with what finds or verifies
groups.
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

    ParameterError where the table is another one, or ε or l have more digits than a certificate may state.
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
    return {
        "schema": SCHEMA,
        "dataset": {"name": table.origin.name, "records": table.n_records, "sha256": table.origin.sha256},
        "parameters": {
            "k": target.k,
            "epsilon": target.epsilon,
            "l": target.l,
            "nulls": target.nulls,
            "sensitive_nulls": target.sensitive_nulls,
        },
        **({"quasi": [column.to_dict() for column in table.quasi]} if table.quasi else {}),
        "groups": [
            {"records": [ids[t] for t in members.tolist()], "ranges": _ranges(table, members)}
            for members in result.groups.members()
        ],
        "withheld": [ids[t] for t in result.groups.unplaced.tolist()],
    }


def write_certificate(
    result: PartitionResult, table: RatingTable, path: str | Path, *, force: bool = False
) -> None:
    """Write the certificate to ``path``, whole or not at all; errors as :func:`certificate` and of files."""
    content = certificate(result, table)
    with (
        protecting([table.origin.place]),
        replacing(path, force=force, private=True) as temporary,
        temporary.open("w", encoding="utf-8", errors="backslashreplace") as file,
    ):
        json.dump(content, file, ensure_ascii=False)
        file.write("\n")


def _ranges(table: RatingTable, members: Any) -> dict[str, list[float]]:
    """Return the least and the largest rating of every issue that a member rates."""
    entries = np.concatenate(
        [np.arange(table.indptr[t], table.indptr[t + 1]) for t in members.tolist()]
    ).astype(np.int64)
    issues, inverse = np.unique(table.indices[entries], return_inverse=True)
    least = np.full(len(issues), np.inf)
    most = np.full(len(issues), -np.inf)
    values = table.levels[table.codes[entries]]
    np.minimum.at(least, inverse, values)
    np.maximum.at(most, inverse, values)
    return {
        table.issues[issue]: [float(a), float(b)]
        for issue, a, b in zip(issues.tolist(), least, most, strict=True)
    }
