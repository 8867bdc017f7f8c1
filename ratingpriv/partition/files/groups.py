"""Groups in a file: CSV with the columns ``record,group``, one row a record, in the order of the data.

The group is empty where the record is in none.
"""

from __future__ import annotations

import csv
from pathlib import Path

from ratingpriv.base import escaping
from ratingpriv.base.files import replacing
from ratingpriv.base.inputs import protecting
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.groups import UNPLACED, Groups

_HEADER = ["record", "group"]


def write_groups(
    groups: Groups, table: RatingTable, path: str | Path, *, force: bool = False, csv_safe: bool = True
) -> None:
    """Write the group of every record of ``table``, for the user alone, whole or not at all.

    ``csv_safe``: whether ids that a spreadsheet would take for formulas are escaped.
    """
    with (
        protecting([table.origin.place]),
        replacing(path, force=force, private=True) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_HEADER)
        for record, label in zip(table.record_ids.to_list(), groups.labels.tolist(), strict=True):
            writer.writerow(
                [escaping.csv_safe(record) if csv_safe else record, "" if label == UNPLACED else label]
            )
