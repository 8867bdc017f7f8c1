"""What every way to a table begins with and ends in: what becomes of the issues, the scale,
the Parts.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, Problem
from ratingpriv.base.escaping import shown_name
from ratingpriv.data.table.building.coding import Rows, narrowed
from ratingpriv.data.table.building.problems import Problems, missing_column
from ratingpriv.data.table.building.spelling import same_ids
from ratingpriv.data.table.parts import Origin, Parts, Scale, Selection, SensitiveColumn

DUPLICATES = ("refuse", "first", "last", "mean")
"""What to do with a duplicated (record, issue) pair: first and last by time where there is one,
else in the order of the data; a mean has the timestamp of the last.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handling:
    """What becomes of issues and ratings on their way into a table.

    Attributes
    ----------
    drop : names of issues, and of columns of a long layout, that the user leaves out
    scale : (minimum, maximum) that ratings have to be within; None: any, and the scale is as found
    scales : the same for single issues, sensitive or not, by name; it beats ``scale``
    sensitive_scale : the same for sensitive issues, by name (None: any rating will do); it beats
        ``scales``
    duplicates : one of DUPLICATES
    """

    sensitive: Sequence[str] = ()
    drop: Sequence[str] = ()
    scale: tuple[float, float] | None = None
    scales: Mapping[str, tuple[float, float]] = MappingProxyType({})
    sensitive_scale: Mapping[str, tuple[float, float] | None] = MappingProxyType({})
    duplicates: str = "refuse"

    @classmethod
    def checked(
        cls,
        sensitive: Sequence[str],
        drop: Sequence[str],
        scale: tuple[float, float] | None,
        sensitive_scale: Mapping[str, tuple[float, float] | None] | None,
        duplicates: str = "refuse",
    ) -> Self:
        """Return what a user says of a data frame; ParameterError where one is not of its type."""
        lists = []
        for parameter, names in (("sensitive", sensitive), ("drop", drop)):
            if isinstance(names, str):
                raise ParameterError(parameter, names, "a list of names", f"write [{names!r}]")
            lists.append(tuple(dict.fromkeys(checks.texts(parameter, names, "a list of names"))))
        return cls(
            sensitive=lists[0],
            drop=lists[1],
            scale=None if scale is None else checks.number_pair("scale", scale),
            sensitive_scale=checks.sensitive_scales(
                {} if sensitive_scale is None else sensitive_scale, lists[0]
            ),
            duplicates=checks.choice("duplicates", duplicates, DUPLICATES),
        )

    def bounds(self, name: str, *, sensitive: bool) -> tuple[float, float] | None:
        """Return the ends that the ratings of an issue have to be within; None: any."""
        scale = self.scales.get(name, self.scale)
        return self.sensitive_scale.get(name, scale) if sensitive else scale


class Roles(NamedTuple):
    """Positions of the non-sensitive issues, ascending,
    and of the sensitive ones as the user named them.
    """

    kept: list[int]
    sensitive: list[int]


def issue_roles(
    names: Sequence[str],
    sensitive: Sequence[str],
    drop: Sequence[str],
    file: str,
    *,
    bare: bool = False,
) -> Roles:
    """Say which issues are sensitive, dropped or neither; with ``bare``, all of them may be."""
    if both := set(drop).intersection(sensitive):
        name = next(name for name in sensitive if name in both)
        raise ParameterError(
            "sensitive", name, "an item that is not dropped", "name it in one of the two"
        )
    problems = Problems()
    position: dict[str, int] = {}
    for index, name in enumerate(names):
        if name in position:
            actual = f"two items called {shown_name(name, index + 1)}"
            remedy = "rename or remove one"
            problems.add(Problem(file, actual, "every item once", remedy, line=1, column=name))
        position.setdefault(name, index)
    for role, wanted in (("sensitive", sensitive), ("dropped", drop)):
        for name in dict.fromkeys(wanted):
            if name not in position:
                problems.add(missing_column(name, role, list(position), file))
    problems.raise_if_any()
    special = {*sensitive, *drop}
    issue_columns = [index for index, name in enumerate(names) if name not in special]
    if not issue_columns and not bare:
        content = "no item" + (
            f" beside the {len(special)} sensitive or dropped ones" if special else ""
        )
        raise DataError(Problem(file, content, "at least one item that is not sensitive"))
    return Roles(issue_columns, [position[name] for name in dict.fromkeys(sensitive)])


def dropped_issues(drop: Sequence[str], columns: Sequence[str], issues: Sequence[str]) -> list[str]:
    """Return which of ``drop`` are issues of a long layout that lost ``columns``:
    all that are no column.

    A name that is a column and an issue is both: the user said to leave out what is called so.
    """
    return [name for name in drop if name not in columns or name in issues]


def finished(
    rows: Rows,
    levels: NDArray[np.float64],
    handling: Handling,
    *,
    record_ids: pl.Series,
    issues: Sequence[str],
    sensitive: tuple[SensitiveColumn, ...],
    origin: Origin,
    names: Sequence[str],
) -> Parts:
    """Make the parts of checked rows without repeats.

    Ids that are only spelt otherwise are counted here.

    ``names`` are all issues of the data, those among them that are not read included. An ``origin``
    without an order gets theirs, of which the names stay that the table has.
    """
    scale = None
    if handling.scale is not None:
        scale = Scale(float(handling.scale[0]), float(handling.scale[1]), declared=True)
    elif len(levels):
        scale = Scale(float(levels[0]), float(levels[-1]), declared=False)
    secret = {column.name for column in sensitive}
    present, details = {*issues, *secret}, dict(origin.details)
    if handling.sensitive_scale:  # so that a release can state them
        details["sensitive_scale"] = dict(handling.sensitive_scale)
    order = tuple(name for name in origin.order or names if name in present)
    same = same_ids(record_ids)
    origin = dataclasses.replace(origin, order=order, details=details)
    return Parts(
        record_ids=record_ids.alias(origin.record_name),
        issues=tuple(issues),
        indptr=rows.indptr,
        indices=rows.indices,
        codes=narrowed(rows.codes, len(levels)),
        levels=levels,
        scale=scale,
        sensitive=sensitive,
        timestamps=None,
        origin=origin if same is None else origin.repeating((origin.record_name, *same)),
        selection=Selection.made(
            issues=len(issues),
            of_issues=len({*names} - secret),
            records=len(record_ids),
            of_records=len(record_ids),
            dropped=tuple(dict.fromkeys(handling.drop)),
        ),
    )


def fresh_name(wanted: str, taken: Collection[str]) -> str:
    """Return ``wanted``, with a number behind it if need be, such that it is none of ``taken``."""
    number, name = 1, wanted
    while name in taken:
        number += 1
        name = f"{wanted}_{number}"
    return name
