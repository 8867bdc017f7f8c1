"""What an audit is asked for, and how many records may miss it before a gate fails:
never in the verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import as_decimal
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.target import Target
from ratingpriv.proximity.demands import CountedDemands, DemandWords

SENSITIVE_KINDS = ("interval", "nominal")
"""interval: distances between sensitive ratings mean something, so does an SD; nominal: they are
codes.
"""


class TargetWords(DemandWords, total=False):
    """What an audit may be asked for beside k and ε, as keywords of functions.

    :func:`ratingpriv.audit` says what each is.
    """

    l: float | None  # noqa: E741 -- the theory's word
    nulls: str | None
    sensitive_nulls: str
    sensitive_kind: str
    at_most: float | None
    accept: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditParameters(CountedDemands, Target):
    """The target of an audit and its demands.

    Attributes
    ----------
    engine : what counts neighbourhoods
    sensitive_kind : one of SENSITIVE_KINDS, of the sensitive issues whose values are not words
    at_most : the share of records, from 0 to below 1, that a gate tolerates to break the verdict;
        None: none
    accept : codes of the reservations (:mod:`ratingpriv.base.reservations`) with which a verdict is
        a yes
    """

    asymmetric: ClassVar[bool] = True

    engine: str = "slicing"
    sensitive_kind: str = "interval"
    at_most: float | None = None
    accept: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check every value and bring it to its type."""
        Target.__post_init__(self)
        object.__setattr__(self, "accept", checked_codes(self.accept))
        checks.choice("sensitive_kind", self.sensitive_kind, SENSITIVE_KINDS)
        if self.l is not None and self.sensitive_kind == "nominal":
            raise ParameterError(
                "l",
                self.l,
                "no `l` with `sensitive_kind='nominal'`",
                "an SD of codes means nothing; use `distinct` or `entropy`",
            )
        self.check_demands()
        if self.at_most is not None:
            share = checks.non_negative_number("at_most", self.at_most)
            if share >= 1:  # it would let everything pass, and may be meant as 1 %
                remedy = "one percent is 0.01; to tolerate all records asks for nothing"
                raise ParameterError("at_most", self.at_most, "a share from 0 to below 1", remedy)
            object.__setattr__(self, "at_most", share)

    @property
    def nominal(self) -> bool:
        """Whether sensitive numbers are codes, whose order means nothing."""
        return self.sensitive_kind == "nominal"

    @property
    def share_limit(self) -> Fraction:
        """The share of one value above which a caution is due: what is allowed,
        or 1 - 1/k if all is.
        """
        limit = self.largest_share
        return Fraction(self.k - 1, self.k) if limit is None else limit

    @property
    def of_sensitive(self) -> dict[str, float]:
        """Every demand on the values of sensitive issues, by parameter."""
        return super(AuditParameters, self).of_sensitive | self.demands

    @property
    def idle(self) -> tuple[str, ...]:
        """The demands of :attr:`of_sensitive` that no data could fail:
        one value alone meets them.
        """
        return (*super(AuditParameters, self).idle, *self.idle_demands)

    @property
    def model(self) -> str:
        """The target in a word, as ``k=5, ε=1, distinct=3``."""
        more = "".join(f", {name}={value:g}" for name, value in self.demands.items())
        return f"{super(AuditParameters, self).model}{more}"

    def check_data(self, records: int, *, sensitive: bool, numeric: bool = True) -> None:
        """Raise ParameterError where data of ``records`` records cannot be held to this target."""
        Target.check_data(self, records, sensitive=sensitive, numeric=numeric)
        demands = self.demands | (
            {"sensitive_kind": "nominal"} if self.sensitive_kind == "nominal" else {}
        )
        for name, value in demands.items():
            if not sensitive:
                raise ParameterError(
                    name,
                    value,
                    "data with a sensitive item",
                    f"name one with `sensitive`, or leave `{name}` out",
                )


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What was tolerated, and what was found.

    No definition of the papers has one: the verdict ignores it.

    Attributes
    ----------
    at_most : the share of records that may break the verdict, the decimal that it prints as
    violators : how many break it; a record breaks it that misses any of the demands
    records : of how many
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
        """Whether that is at most what is tolerated,
        compared as whole numbers and decimals, exactly.
        """
        return self.violators <= as_decimal(self.at_most) * self.records

    def __str__(self) -> str:
        where = "within" if self.within else "beyond"
        broken = f"{self.violators} of {self.records} records break it"
        return f"{broken}, {where} the tolerance of {self.at_most:.15g}"
