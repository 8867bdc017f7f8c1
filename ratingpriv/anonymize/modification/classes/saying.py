"""What became of records and quasi-identifiers so that classes of k were left, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ratingpriv.anonymize.modification.classes.forming import Classes
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.measure import Distortion


def said_of_classes(table: RatingTable, classes: Classes, cost: Distortion, equal: Sequence[str]) -> str:
    """Say who was made alike, and what was suppressed so that classes of k are left.

    ``equal`` : the quasi-identifiers that records had to agree on
    """
    names, count = ", ".join(equal), len(classes.members)
    parts = (
        [
            f"Only records that agree on {names} were made alike: there are {count} such "
            f"class{'' if count == 1 else 'es'} in the release"
        ]
        if names
        else []
    )
    if cost.quasi is not None and cost.quasi.erased:
        who = np.zeros(table.n_records, dtype=bool)
        for before, after in zip(table.quasi, classes.table.quasi, strict=True):
            who[classes.kept] |= before.codes[classes.kept] != after.codes
        records, cells = int(np.count_nonzero(who)), cost.quasi.erased
        parts.append(
            f"{cells} value{'' if cells == 1 else 's'} of quasi-identifiers of {records} "
            f"record{' was' if records == 1 else 's were'} suppressed, as classes were too small"
        )
    if cost.records_withheld:
        parts.append(
            f"{cost.records_withheld} record{' was' if cost.records_withheld == 1 else 's were'} suppressed: "
            "that costs fewer cells than to suppress quasi-identifiers until they are k"
        )
    return "; ".join(parts)
