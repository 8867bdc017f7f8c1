"""Groups in a file: CSV with the columns ``record,group``, one row a record, in the order of the data.

The group is empty where the record is in none.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np

from ratingpriv.errors import DataError, Problem
from ratingpriv.files import replacing
from ratingpriv.partition.groups import UNPLACED, Groups
from ratingpriv.table import RatingTable

__all__ = ["read_groups", "write_groups"]

_HEADER = ["record", "group"]
_SHOWN = 20  # problems that an error lists


def write_groups(groups: Groups, table: RatingTable, path: str | Path, *, force: bool = False) -> None:
    """Write the group of every record of ``table``, whole or not at all.

    Raises
    ------
    OutputError, ResourceError
        As :func:`ratingpriv.files.replacing`.
    """
    with replacing(path, force=force) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_HEADER)
        for record, label in zip(table.record_ids.to_list(), groups.labels.tolist(), strict=True):
            writer.writerow([record, "" if label == UNPLACED else label])


def read_groups(path: str | Path, table: RatingTable) -> Groups:
    """Read a file of groups of ``table``; records may stand in any order, and groups may have any names.

    Raises
    ------
    DataError
        The file cannot be read; a record is not in the table, stands twice, or is missing. Names every
        problem, up to a limit.
    """
    path = Path(path)
    position = {str(record): at for at, record in enumerate(table.record_ids.to_list())}
    problems: list[Problem] = []
    found: dict[int, int] = {}  # position -> line
    labels = np.full(table.n_records, UNPLACED, dtype=np.int64)
    names: dict[str, int] = {}
    reader = csv.reader(io.StringIO(_text(path), newline=""), strict=True)
    try:
        header = next(reader, None)
        if header != _HEADER:
            shown = "an empty file" if header is None else ",".join(header)
            raise DataError(_problem(path, 1, None, shown, "the header record,group"))
        for row in reader:
            line = reader.line_num
            if not row:
                continue
            if len(row) != len(_HEADER):
                problems.append(_problem(path, line, None, f"{len(row)} values", "2 values: record,group"))
                continue
            record, group = row
            at = position.get(record)
            if at is None:
                problems.append(_problem(path, line, "record", record, "a record of the data"))
            elif at in found:
                expected = f"every record once (it stands in line {found[at]}, too)"
                problems.append(_problem(path, line, "record", record, expected))
            else:
                found[at] = line
                if group.strip():
                    labels[at] = names.setdefault(group.strip(), len(names))
    except csv.Error as error:
        problems.append(_problem(path, reader.line_num, None, str(error), "comma-separated values"))
    missing = [str(table.record_ids[at]) for at in range(table.n_records) if at not in found]
    if missing and not problems:
        some = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        problems.append(
            _problem(path, None, "record", f"no row for {len(missing)} records ({some})", "one for each")
        )
    if problems:
        raise DataError(problems[:_SHOWN], len(problems))
    return Groups.of_labels(labels)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(_problem(path, None, None, error.strerror or "no readable file", _FILE)) from error
    except UnicodeDecodeError as error:
        raise DataError(_problem(path, None, None, f"bytes that are no UTF-8 ({error})", _FILE)) from error


_FILE = "a file of groups, as ratingpriv partition --groups writes it"


def _problem(path: Path, line: int | None, column: str | None, found: str, expected: str) -> Problem:
    return Problem(file=str(path), line=line, column=column, found=found, expected=expected)
