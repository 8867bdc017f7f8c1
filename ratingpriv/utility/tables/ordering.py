"""The order in which measures draw records and issues: by id and by name, however the files are sorted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ratingpriv.data.table import RatingTable

__all__ = ["issues_by_name", "records_by_id"]


def records_by_id(table: RatingTable) -> NDArray[np.int64]:
    """Return the positions of the records, int64 (n_records,), their ids ascending."""
    return table.record_ids.arg_sort().to_numpy().astype(np.int64)


def issues_by_name(table: RatingTable) -> NDArray[np.int64]:
    """Return the positions of the issues, int64 (n_issues,), their names ascending."""
    return np.array(sorted(range(table.n_issues), key=table.issues.__getitem__), dtype=np.int64)
