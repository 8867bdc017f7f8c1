"""What was found about exposure: frozen values, each saying whether it is exact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.display import Result
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.tally import tally
from ratingpriv.documents import audit as documents
from ratingpriv.documents.making import document_of

if TYPE_CHECKING:
    import polars as pl

CONFIDENCE = 0.95
"""The expectation is within its interval with at least this probability over what was drawn."""


@dataclass(frozen=True, eq=False)
class Exposure(Result):
    """What :func:`ratingpriv.exposure` found: what is left to an
    adversary whose knowledge is off by up to E.

    Attributes
    ----------
    error : E, in units of the ratings
    nulls : the null rule
    expected : mean over the records of the expectation of 1 / count: the chance that a pick at
        random among the records that fit the knowledge is right
    expected_low, expected_high : interval of ``expected``; both equal to it where it is exact
    expected_exact : whether all knowledge of every record was enumerated
    worst : the fewest records that some knowledge was found to leave
    worst_exact : whether no knowledge leaves fewer; otherwise a search found this, and there may be
        worse
    certain : records of which some knowledge was found to fit nobody else
    certain_exact : whether there are no others of which it does; otherwise there may be more
    records, of_records : how many were examined, of how many
    samples : knowledge drawn for each record whose knowledge was not enumerated
    seed : what the draws were made from
    step : knowledge takes multiples of it; None where it takes any number
    scale_declared : whether knowledge ends with the scale; a range found in the data does not bound
        it
    expected_by_record : float64 (n,), NaN for a record that was not examined
    worst_by_record : int64 (n,), the fewest records found, 0 for a record that was not examined
    expected_exact_by_record, worst_exact_by_record : bool (n,)
    """

    error: float
    nulls: str
    expected: float
    expected_low: float
    expected_high: float
    expected_exact: bool
    worst: int
    worst_exact: bool
    certain: int
    certain_exact: bool
    records: int
    of_records: int
    samples: int
    seed: int
    step: float | None
    scale_declared: bool
    expected_by_record: NDArray[np.float64]
    worst_by_record: NDArray[np.int64]
    expected_exact_by_record: NDArray[np.bool_]
    worst_exact_by_record: NDArray[np.bool_]
    _witness: Callable[[int], dict[str, float]]

    @property
    def fewest_left(self) -> tuple[tuple[int, int], ...]:
        """The fewest records that some knowledge was found to leave, ascending,
        and of how many records.
        """
        return tally(self.worst_by_record[self.worst_by_record > 0])

    @property
    def exact(self) -> bool:
        """Whether ``expected``, ``worst`` and ``certain`` all are."""
        return self.expected_exact and self.worst_exact and self.certain_exact

    def witness(self, position: int) -> dict[str, float]:
        """Return knowledge of the record at ``position`` that leaves
        ``worst_by_record[position]`` records.

        Ratings by issue, each off by at most ``error``; where the exact rating does as well, it is
        that.
        """
        position = checks.whole_number("position", position, 0)
        if position >= self.of_records:
            raise ParameterError(
                "position", position, f"one of the {self.of_records} records, 0 the first"
            )
        if not self.worst_by_record[position]:
            raise ParameterError(
                "position", position, "a record that was examined", "worst_by_record of it is 0"
            )
        return self._witness(position)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON contract: the scalars, and whether each number is exact."""
        return document_of(documents.Exposure, self)

    def to_frame(self) -> pl.DataFrame:
        """Return one row a record, in the order of the data.

        Columns: ``position`` (Int64, 0 the first), ``expected`` (Float64), ``expected_exact``
        (Boolean), ``worst`` (Int64), ``worst_exact`` (Boolean); null for a record that was not
        examined.
        """
        import polars as pl

        examined = pl.Series(self.worst_by_record > 0)
        columns = {
            "expected": pl.Series(self.expected_by_record, dtype=pl.Float64),
            "expected_exact": pl.Series(self.expected_exact_by_record, dtype=pl.Boolean),
            "worst": pl.Series(self.worst_by_record, dtype=pl.Int64),
            "worst_exact": pl.Series(self.worst_exact_by_record, dtype=pl.Boolean),
        }
        frame = pl.DataFrame({"position": np.arange(self.of_records, dtype=np.int64), **columns})
        return frame.with_columns(
            pl.when(examined).then(pl.col(name)).alias(name) for name in columns
        )

    def __repr__(self) -> str:
        label = "" if self.exact else ", not all exact"
        return (
            f"<Exposure at {self.error:g}: expected {self.expected:.4g}, worst {self.worst}, "
            f"certain {self.certain} of {self.of_records}{label}>"
        )
