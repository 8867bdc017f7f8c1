"""How many records may break a verdict before a gate fails: beside the verdict, and never in it."""

from __future__ import annotations

from dataclasses import dataclass

from ratingpriv.audit.inference import as_decimal
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What was tolerated, and what was found. No definition of the papers has one: the verdict ignores it.

    Attributes
    ----------
    at_most : the share of records that may break the verdict, the decimal that it prints as
    violators, records : how many break it, of how many; a record breaks it that misses any of the demands
    """

    at_most: float
    violators: int
    records: int

    @property
    def share(self) -> float:
        """The share of records that break the verdict."""
        return self.violators / self.records

    @property
    def within(self) -> bool:
        """Whether that is at most what is tolerated, compared as whole numbers and decimals, exactly."""
        return self.violators <= as_decimal(self.at_most) * self.records

    def __str__(self) -> str:
        where = "within" if self.within else "beyond"
        broken = f"{self.violators} of {self.records} records break it"
        return f"{broken}, {where} the tolerance of {self.at_most:.15g}"


def tolerated(value: object) -> float:
    """Return the share that ``value`` tolerates, at least 0 and below 1.

    Raises
    ------
    ParameterError
        It is none. 1 is refused: it would let everything pass, and may be meant as 1 %.
    """
    share = checks.non_negative_number("at_most", value)
    if share >= 1:
        remedy = "one percent is 0.01; to tolerate everybody asks for nothing"
        raise ParameterError("at_most", value, "a share from 0 to below 1", remedy)
    return share
