"""Groups that were made elsewhere: of a key, a certificate, lines of record and group,
a run in a store.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.data.table import RatingTable
from ratingpriv.data.table.hashing import answers_sha256

_EXPECTED = (
    "groups: a key of a release by swap, a certificate (ratingpriv partition --certificate), or "
    "CSV with the "
    "columns record and group (ratingpriv partition --groups, or a query of the graph)"
)
_KEY = "ratingpriv.key/1"
RUN = "run:"
"""How a run in a graph store is named: ``run:DATASET/RUN``."""


def read_given_groups(path: str | Path, table: RatingTable) -> NDArray[np.int64]:
    """Return the group of each record of ``table``, int64 (n,), -1: in none.

    The groups are only read here, and judged by :func:`ratingpriv.partition.check_groups`. A path
    ``run:DATASET/RUN`` is a run in the graph store that the environment names, as its cliques are
    now.

    Raises
    ------
    DataError
        The file has no groups.
    ParameterError
        They are of other people; or they are those of a key, and an answer has changed since: the
        difference of the two releases would show it.
    """
    if str(path).startswith(RUN):
        return _of_run(str(path), table)
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(Problem(str(path), "no readable file", _EXPECTED)) from error
    if not text.lstrip().startswith("{"):
        return _labels(_of_lines(text, path), table, path)
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(Problem(str(path), "no JSON", _EXPECTED)) from error
    if content.get("schema") == _KEY:
        if content.get("answers_sha256") != answers_sha256(table):
            expected = "the same people and ratings as in the key's release"
            remedy = (
                "make new groups (no `groups`): with these, the difference of the two releases "
                "would disclose each rating that has changed"
            )
            raise ParameterError("groups", "the groups of a key, and other data", expected, remedy)
        sets = [one.get("original", ()) for one in content.get("groups", ())]
    else:
        sets = [
            one.get("records", ()) for one in content.get("groups", ()) if isinstance(one, Mapping)
        ]
    pairs = [(record, number) for number, members in enumerate(sets) for record in members]
    return _labels(pairs, table, path)


def _of_run(named: str, table: RatingTable) -> NDArray[np.int64]:
    """Return the labels of a run in the store: decomposed,
    merged and borrowed as an analyst left it.
    """
    from ratingpriv.graph.connect import open_store

    dataset, _, run = named.removeprefix(RUN).rpartition("/")
    if not dataset or not run:
        expected = "run:DATASET/RUN, a run of a dataset in the graph store"
        raise ParameterError(
            "groups", named, expected, "ratingpriv query run partition/runs/list lists runs"
        )
    with open_store(None, mode="read") as store:
        if store.dataset(dataset).spec.pseudonymized:
            expected = "a dataset with its own record ids: this one has pseudonyms"
            raise ParameterError("groups", named, expected, "ingest it without --pseudonymize")
        rows = store.run("partition/members", dataset=dataset, run=run).dicts()
    if sorted(str(row["record"]) for row in rows) != sorted(map(str, table.record_ids.to_list())):
        expected = f"a run of the {table.n_records:,} records that are read"
        raise ParameterError("groups", named, expected, "ingest these data, and make the run again")
    placed = [(row["record"], row["clique"]) for row in rows if row["clique"] is not None]
    return _labels(placed, table, Path(named))


def _of_lines(text: str, path: Path) -> Iterable[tuple[Any, Any]]:
    rows = csv.DictReader(text.splitlines())
    if rows.fieldnames is None or not {"record", "group"} <= set(rows.fieldnames):
        raise DataError(Problem(str(path), "no columns record and group", _EXPECTED))
    return [(row["record"], row["group"]) for row in rows if row["group"]]


def _labels(pairs: Iterable[tuple[Any, Any]], table: RatingTable, path: Path) -> NDArray[np.int64]:
    """Return the labels of these (record, group)."""
    places = {str(record): position for position, record in enumerate(table.record_ids.to_list())}
    labels, numbers = np.full(table.n_records, -1, dtype=np.int64), dict[str, int]()
    for record, group in pairs:
        position = places.get(str(record))
        if position is None or labels[position] >= 0:
            found = (
                "a record that is not in the data" if position is None else "a record in two groups"
            )
            expected = "each record of the data in one group at most"
            raise DataError(Problem(str(path), found, expected, "make the groups from these data"))
        labels[position] = numbers.setdefault(str(group), len(numbers))
    if not numbers:
        raise DataError(Problem(str(path), "no groups", _EXPECTED))
    return labels
