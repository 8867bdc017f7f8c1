"""Synthetic ratings written to files of any size in bounded memory: CSV or Parquet, long or wide."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.errors import ParameterError
from ratingpriv.files import replacing
from ratingpriv.formats.generating import Written
from ratingpriv.progress import Progress
from ratingpriv_loaders.parquet.writer import row_groups
from ratingpriv_loaders.synthetic.blocks import BLOCK_RATINGS, EPOCH, Block, Model, blocks
from ratingpriv_loaders.synthetic.shuffle import ROW, Shuffle
from ratingpriv_loaders.text.composing import open_packed

__all__ = ["write_blocks"]

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
_CELLS = 1 << 24  # cells of a wide layout that are in memory together


def write_blocks(
    model: Model,
    path: str | Path,
    *,
    layout: str | None = None,
    shuffled: bool = False,
    force: bool = False,
    progress: Progress | None = None,
    block: int = BLOCK_RATINGS,
) -> Written:
    """Write the ratings of ``model`` to a file, atomically.

    Long rows come in the order of records and issues, or in a uniformly random one if ``shuffled`` (which
    needs as much space again beside the file for a while). An issue that nobody rates has no row in a long
    layout, and is not counted in ``Written.issues``; a record that rates nothing has one row with a null.
    ``block`` bounds the ratings in memory and does not change the rows.
    """
    path = Path(path)
    suffix = next((one for one in _SUFFIXES if path.name.endswith(one) and path.name != one), None)
    if suffix is None:
        raise ParameterError("path", str(path), "a file name that ends in " + ", ".join(_SUFFIXES))
    layout = model.layout if layout is None else layout
    if layout not in ("long", "wide"):
        raise ParameterError("layout", layout, "long or wide")
    if shuffled and layout == "wide":
        raise ParameterError("shuffled", shuffled, "a long layout", "request `layout='long'` as well")
    ratings, rated = 0, np.zeros(model.n_issues, dtype=bool)
    with contextlib.ExitStack() as stack:
        temporary = stack.enter_context(replacing(path, force=force))
        write = stack.enter_context(_writer(temporary, suffix))
        shuffle = stack.enter_context(Shuffle(model, path)) if shuffled else None
        for made in stack.enter_context(contextlib.closing(blocks(model, block))):
            ratings += len(made.ratings)
            rated[made.issues] = True
            if layout == "wide":
                for frame in _wide(model, made):
                    write(frame)
            elif shuffle is not None:
                shuffle.add(_long_rows(model, made))
            else:
                write(_long_frame(model, _long_rows(model, made)))
            if progress is not None:
                progress("making records", made.first + made.count, model.n_records)
        if shuffle is not None:
            for number, rows in enumerate(shuffle.heaps(), 1):
                write(_long_frame(model, rows))
                if progress is not None:
                    progress("shuffling", number, shuffle.n_heaps)
    return Written(
        path=path,
        layout=layout,
        records=model.n_records,
        issues=int(rated.sum()) if layout == "long" else model.n_issues,
        ratings=ratings,
        sensitive=model.sensitive_names,
        seed=model.seed,
        model=model.statement,
    )


def _wide(model: Model, block: Block) -> Iterator[pl.DataFrame]:
    """Give one row a record: its number, its ratings, its sensitive ones; in frames of bounded size."""
    names = (*model.issue_names, *model.sensitive_names)
    height = max(1, _CELLS // len(names))
    for at in range(0, block.count, height):
        count = min(height, block.count - at)
        first = block.first + at
        entries = slice(*np.searchsorted(block.owners, (first, first + count)))
        cells = np.zeros((len(names), count), dtype=np.uint8)
        cells[block.issues[entries], block.owners[entries] - first] = block.ratings[entries]
        cells[model.n_issues :] = block.sensitive[at : at + count].T
        numbers = pl.int_range(first + 1, first + count + 1, dtype=pl.Int64, eager=True)
        yield pl.DataFrame([numbers.alias("record"), *map(_nulled, names, cells)])


def _long_rows(model: Model, block: Block) -> NDArray[Any]:
    """Return one row a rating, ROW (n,): a record's sensitive ratings, undated, behind its others."""
    answered, columns = np.nonzero(block.sensitive)
    rates = np.zeros(block.count, dtype=bool)
    rates[block.owners - block.first] = True
    rates[answered] = True
    silent = np.flatnonzero(~rates)
    n, m = len(block.ratings), len(answered)
    rows = np.zeros(n + m + len(silent), dtype=ROW)  # rating 0 and day 0 are null
    rows["record"][:n], rows["issue"][:n], rows["rating"][:n] = block.owners, block.issues, block.ratings
    if block.days is not None:
        rows["day"][:n] = block.days
    rows["record"][n : n + m] = answered + block.first
    rows["issue"][n : n + m] = columns + model.n_issues
    rows["rating"][n : n + m] = block.sensitive[answered, columns]
    rows["record"][n + m :] = silent + block.first
    return rows if n == len(rows) else rows[np.argsort(rows["record"], kind="stable")]


def _long_frame(model: Model, rows: NDArray[Any]) -> pl.DataFrame:
    labels = pl.Series("issue", (*model.issue_names, *model.sensitive_names))
    if all(map(str.isdecimal, labels)):
        labels = labels.cast(pl.Int32)
    columns = [
        pl.Series("record", rows["record"].astype(np.int64) + 1),
        labels.gather(rows["issue"]),
        _nulled("rating", np.ascontiguousarray(rows["rating"])),
    ]
    if model.dated:
        dates = pl.Series("timestamp", EPOCH + rows["day"])
        columns.append(dates.set(dates == EPOCH.item(), None) if not rows["day"].all() else dates)
    return pl.DataFrame(columns)


def _nulled(name: str, values: NDArray[np.uint8]) -> pl.Series:
    column = pl.Series(name, values)
    return column if values.all() else column.set(column == 0, None)


@contextlib.contextmanager
def _writer(path: Path, suffix: str) -> Iterator[Callable[[pl.DataFrame], None]]:
    """Give a function that appends a frame to ``path``."""
    if suffix == ".parquet":
        with row_groups(path) as append_rows:
            yield lambda frame: append_rows(frame.to_arrow(), 1 << 20)
        return
    with open_packed(path, suffix) as file:
        separator = "\t" if suffix.startswith(".tsv") else ","
        headed = False

        def append_text(frame: pl.DataFrame) -> None:
            nonlocal headed
            frame.write_csv(file, include_header=not headed, separator=separator)
            headed = True

        yield append_text
