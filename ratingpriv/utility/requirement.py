"""What a release has to be good for, at least: ``query_error<=0.1``, as a gate takes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ratingpriv import checks
from ratingpriv.errors import ParameterError
from ratingpriv.numbers import decimal_number
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.measures import MEASURES

__all__ = ["Judged", "Requirement"]

_EXPECTED = "NAME<=X or NAME>=X, such as 'query_error<=0.1'"
_REMEDY = "quote it: to a shell < and > mean files"


@dataclass(frozen=True, slots=True)
class Requirement:
    """A limit that the value of a measure has to keep.

    Attributes
    ----------
    measure : one of MEASURES
    operator : "<=" or ">="
    limit : the value that it may still have
    """

    measure: str
    operator: str
    limit: float

    @classmethod
    def of(cls, text: str | Requirement) -> Requirement:
        """Return the requirement that ``text`` says.

        Raises
        ------
        ParameterError
            There is no such measure or operator, or the limit is no number.
        """
        if isinstance(text, Requirement):
            return text
        if not isinstance(text, str):
            raise ParameterError("require", text, _EXPECTED)
        match = re.fullmatch(r"\s*(\w+)\s*(<=|>=)\s*(\S+)\s*", text, re.ASCII)
        if match is None:
            raise ParameterError("require", text, _EXPECTED, _REMEDY)
        try:
            limit = decimal_number(match[3])
        except ValueError:
            raise ParameterError("require", text, f"{_EXPECTED}, X a finite number") from None
        return cls(checks.choice("require", match[1], MEASURES), match[2], limit)

    def __str__(self) -> str:
        return f"{self.measure}{self.operator}{self.limit:.15g}"

    def judge(self, measured: Measured) -> Judged:
        """Hold a measure to the limit; what was not measured does not keep it."""
        value = measured.value
        if value is None:
            met = False
        else:
            met = value <= self.limit if self.operator == "<=" else value >= self.limit
        return Judged(self, value, met, measured.reason)


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether a requirement is met.

    Attributes
    ----------
    requirement : what was required
    value : the measure's; None where it was not measured
    met : whether the value keeps the limit; False where there is none
    reason : why there is no value, or ""
    """

    requirement: Requirement
    value: float | None
    met: bool
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the object of the JSON contract."""
        asked = self.requirement
        return {
            "measure": asked.measure, "operator": asked.operator, "limit": asked.limit,
            "value": self.value, "met": self.met, **({"reason": self.reason} if self.reason else {}),
        }  # fmt: skip
