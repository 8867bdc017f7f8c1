"""Synthetic ratings written to files of any size in bounded memory: CSV or Parquet, long or wide."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import replacing
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.generating import Written
from ratingpriv_loaders.parquet.writer import row_groups
from ratingpriv_loaders.synthetic.blocks import BLOCK_RATINGS, EPOCH, Block, Model, blocks
from ratingpriv_loaders.text.composing import open_packed

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
_CELLS = 1 << 24  # cells of a wide layout that are in memory together


def write_blocks(
    model: Model,
    path: str | Path,
    *,
    layout: str | None = None,
    force: bool = False,
    progress: Progress | None = None,
    block: int = BLOCK_RATINGS,
) -> Written:
    """Write the ratings of ``model`` to a file, atomically, in the order of records and issues.

    An issue that nobody rates has no row in a long layout, and is not counted in ``Written.issues``; a record
    that rates nothing has one row with a null. ``block`` bounds the ratings in memory and does not change the
    rows.
    """
    path = Path(path)
    suffix = next((one for one in _SUFFIXES if path.name.endswith(one) and path.name != one), None)
    if suffix is None:
        raise ParameterError("path", str(path), "a file name that ends in " + ", ".join(_SUFFIXES))
    layout = model.layout if layout is None else layout
    if layout not in ("long", "wide"):
        raise ParameterError("layout", layout, "long or wide")
    frames = _wide if layout == "wide" else _long
    ratings, rated = 0, np.zeros(model.n_issues, dtype=bool)
    with (
        replacing(path, force=force) as temporary,
        _writer(temporary, suffix) as write,
        contextlib.closing(blocks(model, block)) as parts,
    ):
        for made in parts:
            ratings += len(made.ratings)
            rated[made.issues] = True
            for frame in frames(model, made):
                write(frame)
            if progress is not None:
                progress("making records", made.first + made.count, model.n_records)
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


def _long(model: Model, block: Block) -> Iterator[pl.DataFrame]:
    """Give one row a rating: a record's sensitive ratings, undated, behind its others."""
    answered, columns = np.nonzero(block.sensitive)
    silent = np.setdiff1d(np.arange(block.count), np.union1d(block.owners - block.first, answered))
    n, m = len(block.ratings), len(answered)
    records = np.concatenate([block.owners, answered + block.first, silent + block.first])
    issues = np.concatenate([block.issues, columns + model.n_issues, np.zeros(len(silent), dtype=np.int64)])
    ratings = np.zeros(len(records), dtype=np.uint8)  # 0 and, of dates, the first day are null
    ratings[:n], ratings[n : n + m] = block.ratings, block.sensitive[answered, columns]
    order = np.argsort(records, kind="stable")
    labels = pl.Series("issue", (*model.issue_names, *model.sensitive_names))
    if all(map(str.isdecimal, labels)):
        labels = labels.cast(pl.Int32)
    frame = [
        pl.Series("record", records[order].astype(np.int64) + 1),
        labels.gather(issues[order]),
        _nulled("rating", ratings[order]),
    ]
    if block.days is not None:
        days = np.concatenate([block.days, np.zeros(m + len(silent), dtype=np.int32)])[order]
        dates = pl.Series("timestamp", EPOCH + days)
        frame.append(dates if days.all() else dates.set(dates == EPOCH.item(), None))
    yield pl.DataFrame(frame)


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
