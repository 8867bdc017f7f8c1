"""A limit that a number of a result has to keep: ``query_error<=0.1``, as a gate takes it.

One grammar for every command. A number that could not be measured keeps no limit; one that is known
only to lie in an interval keeps it where the whole interval does.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import decimal_number, rounded_down, rounded_up

_EXPECTED = "NAME<=X or NAME>=X, such as '{}<=0.1'"
_REMEDY = "quote it: to a shell < and > mean files"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A limit that the value of a measure has to keep.

    Attributes
    ----------
    measure : such as query_error
    operator : "<=" or ">="
    limit : what the value is compared with
    """

    measure: str
    operator: str
    limit: float

    @classmethod
    def of(cls, text: str | Requirement, names: Collection[str]) -> Requirement:
        """Return the requirement that ``text`` says; ``names`` are the measures that there are."""
        if isinstance(text, Requirement):
            return text
        expected = _EXPECTED.format(next(iter(names), "NAME"))
        if not isinstance(text, str):
            raise ParameterError("require", text, expected)
        match = re.fullmatch(r"\s*([\w.-]+?)\s*(<=|>=)\s*(\S+)\s*", text, re.ASCII)
        if match is None:
            raise ParameterError("require", text, expected, _REMEDY)
        try:
            limit = decimal_number(match[3])
        except ValueError:
            raise ParameterError("require", text, f"{expected}, X a finite number") from None
        return cls(checks.choice("require", match[1], names), match[2], limit)

    def __str__(self) -> str:
        return f"{self.measure}{self.operator}{self.limit:.15g}"

    def judge(
        self,
        value: float | Fraction | None,
        reason: str = "",
        *,
        low: float | None = None,
        high: float | None = None,
    ) -> Judged:
        """Hold a measure, surely in ``low`` .. ``high``, to the limit.

        One not measured does not keep it.

        A Fraction is compared as it is, a float as the decimal that it prints as.
        """
        if value is None:
            return Judged(self, None, False, reason)
        least = self.operator == ">="
        end = low if least else high
        met = self._kept(value) and (end is None or self._kept(end))
        if not met and end is not None and self._kept(value):
            far = f"low as {rounded_down(end)}" if least else f"high as {rounded_up(end)}"
            reason = f"it may be as {far}"
        return Judged(self, float(value), met, reason, low, high)

    def _kept(self, value: float | Fraction) -> bool:
        exact, limit = _exact(value), _exact(self.limit)
        return exact <= limit if self.operator == "<=" else exact >= limit


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether the value of a measure keeps its limit.

    Attributes
    ----------
    requirement : the limit
    value : None where there is none
    met : whether the value surely keeps the limit; not where there is none
    reason : why there is no value, or why one that keeps the limit does not do so surely
    low, high : between these the value lies; None where it is exact
    """

    requirement: Requirement
    value: float | None
    met: bool
    reason: str = ""
    low: float | None = None
    high: float | None = None

    def __bool__(self) -> bool:
        return self.met

    def to_dict(self) -> dict[str, Any]:
        """Return the object of the JSON contract."""
        asked = self.requirement
        more = {"reason": self.reason or None, "low": self.low, "high": self.high}
        limit = {"measure": asked.measure, "operator": asked.operator, "limit": asked.limit}
        said = {name: said for name, said in more.items() if said is not None}
        return {**limit, "value": self.value, "met": self.met, **said}


def _exact(value: float | Fraction) -> Fraction:
    return value if isinstance(value, Fraction) else Fraction(Decimal(repr(float(value))))
