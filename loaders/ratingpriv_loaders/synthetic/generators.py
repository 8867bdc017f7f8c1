"""Synthetic ratings from stated models, seeded, as a table or as a file of any size.

Two models: :class:`~ratingpriv_loaders.synthetic.models.SurveyModel` (Likert items driven by
factors) and :class:`~ratingpriv_loaders.synthetic.sparse.SparseModel` (power laws, dates); their
docstrings state them. The same arguments and seed give the same ratings as a table and as a file,
whatever the number of processors and of ratings that are in memory together (and as long as NumPy's
generators stay as they are).
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import replacing
from ratingpriv.base.progress import Progress
from ratingpriv.data.formats.generating import Parameter, Written
from ratingpriv.data.table import RatingTable
from ratingpriv_loaders.parquet.writer import row_groups
from ratingpriv_loaders.synthetic.models import EPOCH, Block, Model, SurveyModel, blocks, table_of
from ratingpriv_loaders.synthetic.sparse import SparseModel
from ratingpriv_loaders.writing import open_packed

__all__ = ["SparseGenerator", "SurveyGenerator", "likert_survey", "sparse_ratings"]

_SUFFIXES = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
_CELLS = 1 << 24  # cells of a wide layout that are in memory together


@checks.takes_random_state
def likert_survey(
    records: int,
    items: int,
    *,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    **parameters: Any,
) -> RatingTable:
    """Return a survey as a table; ``parameters`` are those of :class:`SurveyGenerator`.

    ``rng`` (or ``random_state``) is a seed or a Generator that draws one; the seed is kept in
    ``origin.details``.

    Raises
    ------
    ParameterError
        A parameter is out of range.
    """
    return table_of(SurveyModel(records, items, seed=checks.seed_from(rng), **parameters))


@checks.takes_random_state
def sparse_ratings(
    records: int,
    issues: int,
    ratings: int,
    *,
    rng: int | np.random.Generator | None = None,
    random_state: checks.RandomState | None = None,
    **parameters: Any,
) -> RatingTable:
    """Return sparse ratings as a table; ``parameters`` are those of :class:`SparseGenerator`.

    ``rng`` and errors are as in :func:`likert_survey`.
    """
    return table_of(
        SparseModel(records, issues, ratings=ratings, seed=checks.seed_from(rng), **parameters)
    )


class _Generator:
    """A model as the library finds it: its parameters by name, a table, a file."""

    name: str
    description: str
    model: type[Model]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of the model, with their defaults."""
        shaping: list[Any] = [field for field in dataclasses.fields(self.model) if field.metadata]
        return tuple(
            Parameter(field.name, field.default, field.metadata["meaning"]) for field in shaping
        )

    def table(self, *, records: int, issues: int, seed: int, **parameters: object) -> RatingTable:
        """Return the data as a table.

        ParameterError for a parameter that is unknown or out of range.
        """
        return table_of(self._model(records, issues, seed, parameters))

    def write(
        self,
        path: str | Path,
        *,
        records: int,
        issues: int,
        seed: int,
        layout: str | None = None,
        force: bool = False,
        progress: Progress | None = None,
        **parameters: object,
    ) -> Written:
        """Write the data, in the order of records and issues, as ``Generator`` says.

        An issue that nobody rates has no row in a long file, and is not counted in
        ``Written.issues``; a record that rates nothing has one row with a null.
        """
        model = self._model(records, issues, seed, parameters)
        path = Path(path)
        suffix = next(
            (one for one in _SUFFIXES if path.name.endswith(one) and path.name != one), None
        )
        if suffix is None:
            raise ParameterError(
                "path", str(path), "a file name that ends in " + ", ".join(_SUFFIXES)
            )
        layout = model.layout if layout is None else layout
        if layout not in ("long", "wide"):
            raise ParameterError("layout", layout, "long or wide")
        frames = _wide if layout == "wide" else _long
        ratings, rated = 0, np.zeros(model.issues, dtype=bool)
        with (
            replacing(path, force=force) as temporary,
            _writer(temporary, suffix) as write,
            contextlib.closing(blocks(model)) as parts,
        ):
            for made in parts:
                ratings += len(made.ratings)
                rated[made.issues] = True
                for frame in frames(model, made):
                    write(frame)
                if progress is not None:
                    progress("making records", made.first + made.count, model.records)
        return Written(
            path=path,
            layout=layout,
            records=model.records,
            issues=int(rated.sum()) if layout == "long" else model.issues,
            ratings=ratings,
            sensitive=tuple(model.sensitive),
            seed=model.seed,
            model=model.statement,
        )

    def _model(self, records: int, issues: int, seed: int, parameters: dict[str, Any]) -> Model:
        names = [parameter.name for parameter in self.parameters]
        for name, value in parameters.items():
            if name not in names:
                raise ParameterError(name, value, f"one of the parameters {', '.join(names)}")
        return self.model(records, issues, seed=seed, **parameters)


class SurveyGenerator(_Generator):
    """Generator ``survey``: see :class:`~ratingpriv_loaders.synthetic.models.SurveyModel`."""

    name = "survey"
    description = (
        "a Likert survey; a rating is the rounded sum of a few latent normal factors, weighted by "
        "the item, and noise, and sensitive items depend on all of the factors"
    )
    model = SurveyModel


class SparseGenerator(_Generator):
    """Generator ``sparse``: see :class:`~ratingpriv_loaders.synthetic.sparse.SparseModel`."""

    name = "sparse"
    description = (
        "sparse ratings with dates; power laws say how many ratings a record gives and how "
        "popular an item is, and a rating is the rounded sum of an effect of the record, one of "
        "the item, and noise"
    )
    model = SparseModel


def _wide(model: Model, block: Block) -> Iterator[pl.DataFrame]:
    """Give one row a record: its number, its ratings, its sensitive ones;
    in frames of bounded size.
    """
    names = (*model.issue_names, *model.sensitive)
    height = max(1, _CELLS // len(names))
    for offset in range(0, block.count, height):
        count = min(height, block.count - offset)
        first = block.first + offset
        entries = slice(*np.searchsorted(block.owners, (first, first + count)))
        cells = np.zeros((len(names), count), dtype=np.uint8)
        cells[block.issues[entries], block.owners[entries] - first] = block.ratings[entries]
        cells[model.issues :] = block.sensitive[offset : offset + count].T
        numbers = pl.int_range(first + 1, first + count + 1, dtype=pl.Int64, eager=True)
        yield pl.DataFrame([numbers.alias("record"), *map(_nulled, names, cells)])


def _long(model: Model, block: Block) -> Iterator[pl.DataFrame]:
    """Give one row a rating: a record's sensitive ratings, undated, behind its others."""
    answered, columns = np.nonzero(block.sensitive)
    silent = np.setdiff1d(np.arange(block.count), np.union1d(block.owners - block.first, answered))
    n, m = len(block.ratings), len(answered)
    records = np.concatenate([block.owners, answered + block.first, silent + block.first])
    issues = np.concatenate(
        [block.issues, columns + model.issues, np.zeros(len(silent), dtype=np.int64)]
    )
    ratings = np.zeros(len(records), dtype=np.uint8)  # 0 and, of dates, the first day are null
    ratings[:n], ratings[n : n + m] = block.ratings, block.sensitive[answered, columns]
    order = np.argsort(records, kind="stable")
    labels = pl.Series("issue", (*model.issue_names, *model.sensitive))
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
