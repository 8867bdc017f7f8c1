"""What an audit is asked for, and how many records may miss it before a gate fails: never in the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.reservations import checked_codes
from ratingpriv.base.target import Target

SENSITIVE_KINDS = ("interval", "nominal")
"""interval: distances between sensitive ratings mean something, so does an SD; nominal: they are codes."""


def as_decimal(number: float) -> Fraction:
    """Return a float64 as the decimal that it prints as, exactly."""
    return Fraction(Decimal(repr(float(number))))


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditParameters(Target):
    """The target of an audit, and the ``engine`` that counts neighbourhoods."""

    asymmetric: ClassVar[bool] = True

    engine: str = "slicing"
    # the largest share that one value may have of the known values of a sensitive issue in a neighbourhood,
    # above 0 and at most 1; None asks for none
    max_share: float | None = None
    # one of SENSITIVE_KINDS, of the sensitive issues whose values are not words
    sensitive_kind: str = "interval"
    # how many distinct known values each shall have, a whole number >= 1; None asks for none
    distinct: int | None = None
    entropy: float | None = None  # L >= 1: the entropy of each shall be at least log L; None asks for none
    # the share of records, from 0 to below 1, that a gate tolerates to break the verdict; None: none
    at_most: float | None = None
    # codes of the reservations (:mod:`ratingpriv.base.reservations`) with which a verdict is a yes
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
        if self.max_share is not None:
            share = checks.non_negative_number("max_share", self.max_share)
            if not 0 < share <= 1:
                raise ParameterError("max_share", self.max_share, "a share above 0 and at most 1")
            object.__setattr__(self, "max_share", share)
        if self.distinct is not None:
            object.__setattr__(self, "distinct", checks.whole_number("distinct", self.distinct, 1))
        if self.entropy is not None:
            least = checks.non_negative_number("entropy", self.entropy)
            if least < 1:
                raise ParameterError("entropy", self.entropy, "a finite number >= 1")
            object.__setattr__(self, "entropy", least)
        if self.at_most is not None:
            share = checks.non_negative_number("at_most", self.at_most)
            if share >= 1:  # it would let everything pass, and may be meant as 1 %
                remedy = "one percent is 0.01; to tolerate everybody asks for nothing"
                raise ParameterError("at_most", self.at_most, "a share from 0 to below 1", remedy)
            object.__setattr__(self, "at_most", share)

    @property
    def demands(self) -> dict[str, float]:
        """What is asked of the values of sensitive issues, by parameter."""
        demands = {"max_share": self.max_share, "distinct": self.distinct, "entropy": self.entropy}
        return {name: value for name, value in demands.items() if value is not None}

    @property
    def exact_entropy(self) -> Fraction | None:
        """L, the decimal that it prints as; None where it is not asked for."""
        return None if self.entropy is None else as_decimal(self.entropy)

    @property
    def share_limit(self) -> Fraction:
        """The share of one value above which a caution is due: ``max_share``, or 1 - 1/k without one."""
        return Fraction(self.k - 1, self.k) if self.max_share is None else as_decimal(self.max_share)

    @property
    def of_sensitive(self) -> dict[str, float]:
        """Every demand on the values of sensitive issues, by parameter."""
        return super(AuditParameters, self).of_sensitive | self.demands

    @property
    def idle(self) -> tuple[str, ...]:
        """The demands of :attr:`of_sensitive` that no data could fail: one value alone meets them."""
        by_one_value = {"max_share": 1.0, "distinct": 1, "entropy": 1.0}
        met = (name for name, value in self.demands.items() if value == by_one_value[name])
        return (*super(AuditParameters, self).idle, *met)

    @property
    def model(self) -> str:
        """The target in a word, as ``k=5, ε=1, distinct=3``."""
        more = "".join(f", {name}={value:g}" for name, value in self.demands.items())
        return f"{super(AuditParameters, self).model}{more}"

    def check_data(self, records: int, *, sensitive: bool, numeric: bool = True) -> None:
        """Raise ParameterError where data of ``records`` records cannot be held to this target."""
        Target.check_data(self, records, sensitive=sensitive, numeric=numeric)
        asked = self.demands | ({"sensitive_kind": "nominal"} if self.sensitive_kind == "nominal" else {})
        for name, value in asked.items():
            if not sensitive:
                raise ParameterError(
                    name,
                    value,
                    "data with a sensitive issue",
                    f"name one with `sensitive`, or leave `{name}` out",
                )


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What was tolerated, and what was found. No definition of the papers has one: the verdict ignores it."""

    at_most: float  # the share of records that may break the verdict, the decimal that it prints as
    violators: int  # how many break it, of how many; a record breaks it that misses any of the demands
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
