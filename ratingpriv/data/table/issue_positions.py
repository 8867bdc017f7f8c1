"""The issue of each rating, which takes no memory where every record rates every issue.

In a survey that everybody answered in full, ``indices`` is 0..p-1 once for each record: four bytes a rating
that say nothing. Such a table is made with :data:`EVERY_ISSUE` instead, and the array is made, once, for
whoever asks for it. Counting neighbours does not: rows of equal supports are compared place by place.
"""

from __future__ import annotations

from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

EVERY_ISSUE: NDArray[np.int32] = np.empty(0, dtype=np.int32)
"""Says, by its identity, that every record rates every issue; it is no array of positions."""
EVERY_ISSUE.flags.writeable = False


class IssuePositions:
    """The attribute ``indices`` of a table: int32 (n_ratings,), read-only, made when it is first asked for.

    What is kept, in ``vars(table)["indices"]``, is None until then where it was set to :data:`EVERY_ISSUE`
    (or to None, as kept by another table); two threads that ask at once both get a right array.
    """

    @overload
    def __get__(self, table: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, table: Any, owner: type | None = None) -> NDArray[np.int32]: ...

    def __get__(self, table: Any, owner: type | None = None) -> Self | NDArray[np.int32]:
        """Return the positions of ``table``."""
        if table is None:
            return self
        kept: NDArray[np.int32] | None = vars(table)["indices"]
        if kept is None:
            kept = np.tile(np.arange(table.n_issues, dtype=np.int32), table.n_records)
            kept.flags.writeable = False
            vars(table)["indices"] = kept
        return kept

    def __set__(self, table: Any, value: NDArray[np.int32] | None) -> None:
        """Keep positions, or that every record rates every issue."""
        vars(table)["indices"] = None if value is EVERY_ISSUE else value
