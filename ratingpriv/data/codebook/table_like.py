"""What is taken for a table: a RatingTable, or what is read as one on
the way in (data frames, matrices).

The one place that does so: :func:`takes_frames` for the functions that users call with their data.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from ratingpriv.base.compute.compiling import one_computation
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table.table import RatingTable

if TYPE_CHECKING:
    from ratingpriv.data.codebook.codebook import Codebook
    from ratingpriv.data.codebook.options import ReadOptions

type TableLike = RatingTable | Any
"""A RatingTable; or a frame of polars, pandas or arrow, an array of numpy or a sparse matrix of
scipy.
"""


class ColumnWords(TypedDict, total=False):
    """What may be said of the columns of a data frame.

    The words are those of :func:`ratingpriv.read`.
    """

    id: str
    codebook: Codebook | str | Path
    quasi: Sequence[str]
    identifier: Sequence[str]
    sensitive: Sequence[str]
    drop: Sequence[str]
    keep: Sequence[str]
    carry: Sequence[str]
    ratings: Sequence[str]
    scale: tuple[float, float]
    sensitive_scale: Mapping[str, tuple[float, float] | None]
    null: Sequence[str]
    only_null: Sequence[str]


_WORDS = frozenset(ColumnWords.__annotations__)
_DATA = ("table", "original", "release")


def as_table(
    data: TableLike,
    *,
    name: str = "table",
    options: ReadOptions | None = None,
    original: RatingTable | None = None,
    **said: Any,
) -> RatingTable:
    """Return ``data`` as a table, a row a record,
    by what is said of its columns (:class:`ColumnWords`).

    ``data`` is a RatingTable, which is returned; a polars, pandas or arrow table; a numpy array, of
    which NaN and what is masked are null; a sparse matrix of scipy, of which all entries are
    ratings, zeros included.
    """
    if isinstance(data, RatingTable):
        if said or options:
            remedy = "say it where the table is read, or give a data frame"
            word = next(iter(said), "options")
            raise ParameterError(word, "a RatingTable", "nothing said of its columns", remedy)
        return data
    from ratingpriv.data.codebook.building import table_of
    from ratingpriv.data.codebook.deciding import wanted
    from ratingpriv.data.codebook.frames import raw_of_frame, raw_of_matrix, table_of_sparse
    from ratingpriv.data.codebook.inherited import as_in_original, inherited_roles
    from ratingpriv.data.codebook.options import checked_options

    options = checked_options(options, said)
    if hasattr(data, "tocoo"):
        return table_of_sparse(data, options, name=name)
    if hasattr(data, "__array_interface__"):
        return table_of(raw_of_matrix(data, name=name), options)

    read = options

    def left_out(names: Sequence[str]) -> Mapping[str, str]:
        nonlocal read
        if original is not None:
            read = inherited_roles(
                options, original, (one for one in names if one != options.id), {}
            )
        roles = wanted(names, read, file=name, look=True)
        return {column: role for column, role in roles.items() if role in ("identifier", "drop")}

    raw = raw_of_frame(data, name=name, id=options.id, left_out=left_out)
    table = table_of(raw, read)
    return table if original is None else as_in_original(table, original)


def refuse_unknown(function: str, words: Iterable[str]) -> None:
    """Raise Python's own TypeError for a keyword that says nothing of columns."""
    for word in sorted(set(words) - _WORDS):
        raise TypeError(f"{function}() got an unexpected keyword argument {word!r}")


def takes_frames[**P, R](compute: Callable[P, R]) -> Callable[P, R]:
    """Return ``compute(table, ...)`` such that ``table`` and ``release``
    may be what :func:`as_table` takes.

    So may ``original``. What is said of columns is taken from the keywords, and holds for all of
    them.
    """
    parameters = inspect.signature(compute).parameters
    positions = {position: name for position, name in enumerate(parameters) if name in _DATA}
    optional = {name for name, parameter in parameters.items() if parameter.default is None}
    open_ended = [
        parameter.name
        for parameter in parameters.values()
        if parameter.kind is inspect.Parameter.VAR_KEYWORD
    ]

    @functools.wraps(compute)
    def computed(*args: P.args, **kwargs: P.kwargs) -> R:
        column_words: dict[str, Any] = {name: kwargs.pop(name) for name in _WORDS & kwargs.keys()}
        if open_ended == ["columns"]:
            refuse_unknown(compute.__name__, kwargs.keys() - parameters.keys())

        def taken(name: str, value: Any) -> Any:
            if value is None and name in optional:
                return None
            before = original if name == "release" and not isinstance(value, RatingTable) else None
            return as_table(value, original=before, **column_words)

        given, original = list(args), None
        for name in _DATA:  # the release last, whose columns are what they are in the other
            for position in (
                at for at, its in positions.items() if its == name and at < len(given)
            ):
                given[position] = original = taken(name, given[position])
            if name in kwargs:
                kwargs[name] = original = taken(name, kwargs[name])
        with one_computation():
            return compute(*given, **kwargs)  # type: ignore[arg-type]

    return computed
