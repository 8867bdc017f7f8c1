"""The columns of a wide release as numbers or texts, for formats whose cells have types."""

from __future__ import annotations

import polars as pl

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.escaping import shown_name
from ratingpriv.base.numbers import LARGEST
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.formats.writing import UnwritableError, WriteOptions, scale_of, sensitive_scales_of
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.text.composing import number_texts
from ratingpriv_loaders.text.writer import attribute_texts, taken_for_ids
from ratingpriv_loaders.wide_cells import WideCells


class TypedColumns:
    """A table's columns as they are written.

    Attributes
    ----------
    columns : Series (n_records,) of Float64 or String, null where there is nothing; ids first, where wanted
    said : how the file is read again

    Raises
    ------
    UnwritableError
        A number has more digits than any reader takes; a text is empty or has blanks around it.
    """

    def __init__(self, table: RatingTable, options: WriteOptions) -> None:
        if (options.layout or table.origin.layout) != "wide":
            remedy = "ask for the wide layout, or write delimited text or Parquet"
            raise UnwritableError("layout", "long", "wide: a row a record", remedy)
        cells = WideCells.of(table, labels=options.labels)
        frame: pl.DataFrame = table.to_wide("polars")
        id_name = frame.columns[0]
        if not id_name.strip():
            id_name = "record"
            while id_name in frame.columns:
                id_name += "_"
        self.columns = [_ids(frame.to_series(0).alias(id_name))] if options.record_ids else []
        for column in frame.get_columns()[1:]:
            self.columns.append(_column(column, cells))
        for name in (column.name for column in self.columns):
            if name != name.strip() or not name:
                raise ParameterError("issues", name, "names without blanks around them", "rename the issue")
        self.said = ReadOptions(
            layout="wide",
            id=id_name if options.record_ids else None,
            only=() if options.record_ids else taken_for_ids(table),
            sensitive=tuple(column.name for column in table.sensitive),
            scale=scale_of(table),
            sensitive_scale=sensitive_scales_of(table),
            codebook=cells.codebook,
        )

    def refuse_empty_rows(self) -> None:
        """Refuse a row without anything in it, which a reader would not see."""
        if bool(pl.DataFrame(self.columns).select(pl.all_horizontal(pl.all().is_null()).any()).item()):
            remedy = "write it with ids, or as parquet"
            raise UnwritableError("ids", "a record without any rating", "something in every row", remedy)


def _column(column: pl.Series, cells: WideCells) -> pl.Series:
    name = column.name
    if name in cells.words:
        words = cells.words[name]
        return column.cast(pl.Int64).replace_strict(
            pl.Series(range(1, len(words) + 1)), pl.Series(words), default=None, return_dtype=pl.String
        )
    if not column.dtype.is_numeric():
        return attribute_texts(column)
    numbers = column.cast(pl.Float64)
    number_texts(numbers.unique().drop_nulls().to_numpy())  # refuses what has too many digits
    return numbers


def _ids(ids: pl.Series) -> pl.Series:
    """Return ids as numbers where these keep all their digits, else as texts."""
    if ids.dtype == pl.String:
        if bool(((ids == "") | (ids.str.strip_chars() != ids)).any()):
            found = f"ids with blanks around them in {shown_name(ids.name)}"
            raise UnwritableError("format", found, "ids that a reader keeps as they are", "write parquet")
        return ids
    return ids.cast(pl.Float64) if bool((ids.abs() < LARGEST / 10).all()) else ids.cast(pl.String)
