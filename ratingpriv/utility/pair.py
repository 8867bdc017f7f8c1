"""An original and a release of it: issues by name,
and which released record is which original one.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import Key
from ratingpriv.data.table import RatingTable
from ratingpriv.partition.distortion.pairing import positions_in_release


@dataclass(frozen=True, slots=True, eq=False)
class Pair:
    """What the measures are given: n and m records. Both tables have the same issues, in one order.

    ``pairing`` int64 (n,) is the position in ``release`` of each original record, -1 where it was
    suppressed; None where it is not known who is who.
    """

    original: RatingTable
    release: RatingTable
    pairing: NDArray[np.int64] | None = None
    paired_by: str | None = None  # "key" or "ids"; None without a pairing
    issues_lost: int = 0  # how many only the original has: unrated in the release
    issues_added: int = 0  # and how many only the release has, the last ones
    # (m,); of the released records, -1 in none; None: not at hand
    groups: NDArray[np.int32] | None = None
    exchanged: bool = False  # whether the release is one by swap, as far as the truth tells

    @property
    def withheld(self) -> int | None:
        """How many records were suppressed; None where it is not known who is who."""
        return None if self.pairing is None else int(np.count_nonzero(self.pairing < 0))


def pair_of(original: RatingTable, release: RatingTable, truth: Key | str | None = None) -> Pair:
    """Lay ``original`` and ``release`` side by side,
    by the ``truth`` of :func:`ratingpriv.utility`.

    Issues are matched by name; one that only one of the two has is unrated in the other, and
    counted. Refused: a truth that does not fit, a released record that is none of the original's, a
    name that is an issue here and another column there.
    """
    for table, what, others in ((original, "original", release), (release, "release", original)):
        role = {column.name: "a sensitive item" for column in others.sensitive}
        role |= {column.name: "a quasi-identifier" for column in others.quasi}
        role |= {column.name: "a carried column" for column in others.carried}
        if name := next((name for name in table.issues if name in role), ""):
            raise ParameterError(
                "release",
                f"{name}, an item of the {what} and {role[name]} of the other",
                "columns of the same role in both",
                "read both files with the same options or codebook",
            )
    pairing = None if truth is None else positions_in_release(original, release, truth)
    if pairing is not None:
        strangers = release.n_records - int(np.count_nonzero(pairing >= 0))
        if strangers:
            actual = f"{strangers} records that are none of the original's"
            remedy = "compare it with all records that it was made from"
            raise ParameterError("release", actual, "a release of the original's records", remedy)
    names_known, released = set(original.issues), set(release.issues)
    issues = (*original.issues, *(name for name in release.issues if name not in names_known))
    return Pair(
        original=_over(original, issues),
        release=_over(release, issues),
        pairing=pairing,
        paired_by=None if truth is None else "key" if isinstance(truth, Key) else "ids",
        issues_lost=len(names_known - released),
        issues_added=len(released - names_known),
        exchanged=isinstance(truth, Key) and "groups" in truth.facts,
    )


def _over(table: RatingTable, issues: tuple[str, ...]) -> RatingTable:
    """Return ``table`` over ``issues``, which are all of its own and perhaps more,
    in another order.
    """
    if table.issues == issues:
        return table
    position_of = {name: position for position, name in enumerate(issues)}
    moved = np.array([position_of[name] for name in table.issues], dtype=np.int32)
    indices = moved[table.indices] if len(moved) else table.indices
    codes, timestamps = table.codes, table.timestamps
    if np.any(np.diff(moved) < 0):  # issues ascend within a record
        record = np.repeat(np.arange(table.n_records), np.diff(table.indptr))
        order = np.lexsort((indices, record))
        indices, codes = indices[order], codes[order]
        timestamps = None if timestamps is None else timestamps.gather(order)
    return dataclasses.replace(
        table, issues=issues, indices=indices, codes=codes, timestamps=timestamps
    )
