"""The one way to a wide table: roles are decided, cells understood, and what is doubtful refused by name."""

from __future__ import annotations

from collections.abc import Sequence

from ratingpriv.data.codebook.building import parts_of
from ratingpriv.data.codebook.deciding import decided
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.raw import RawData
from ratingpriv.data.table.table import RatingTable

__all__ = ["table_of", "wanted"]


def table_of(raw: RawData, options: ReadOptions) -> RatingTable:
    """Return the table that ``raw`` is: every column by the role that was said of it, or that it looks like.

    Parameters
    ----------
    raw : what a loader of wide data found; its problems are reported together with what is found here
    options : the ReadOptions; what they say beats the codebook, and that what the format knows

    Raises
    ------
    DataError
        With every problem: text where ratings should be, columns that look like something else than ratings,
        and all of :func:`ratingpriv.data.table.building.columns.parts_from_columns`.
    ParameterError
        Two options give a column two roles.
    """
    return RatingTable.of(parts_of(raw, options))


def wanted(names: Sequence[str], options: ReadOptions, *, file: str = "table") -> dict[str, str | None]:
    """Return the role of each column as far as names alone say it; None: it has to be looked at.

    Columns of the roles "identifier" and "drop" (those that a projection leaves out are dropped) need not be
    parsed: a loader leaves them out of ``RawData.read`` and names them in ``RawData.unread``. At most one
    column is of the role "id".

    Raises
    ------
    DataError
        A column is named that is not there, a pattern matches none, or a name is there twice.
    ParameterError
        Two options give a column two roles.
    """
    said = decided(names, options, file=file)
    return {name: said.role(name) for name in names}
