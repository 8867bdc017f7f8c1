"""What records shall meet: (k,ε)- or (k,ε,l)-anonymity,
and how nulls count in it [SWLZ11, Def. 4.2-4.3].
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import in_full

NULL_RULES = ("strict", "wildcard")
"""strict: a null is r, the scale's maximum, away from every rating [SWLZ11, Eq. 1]; wildcard: it
matches anything. Symmetric: proximate records make pairs, hence a graph and partitions.
"""

AUDIT_NULL_RULES = (*NULL_RULES, "known")
"""The rules of audits. known: N(t) are the records that rate at least what t rates, each within ε;
what t did not rate is unknown to the adversary [ours]. Asymmetric: u may be in N(t) without t in
N(u).
"""

SENSITIVE_NULLS = ("paper", "ignore")
"""paper: a sensitive null counts s̄² in the SD [SWLZ11, Eq. 3]; ignore: it is left out."""


def null_rule(nulls: object) -> str:
    """Return ``nulls``, which must be one of NULL_RULES.

    For whatever needs pairs of proximate records.
    """
    if isinstance(nulls, str) and nulls == "known":
        remedy = (
            "known is asymmetric: it has no pairs, hence no partition; audit and exposure know it"
        )
        raise ParameterError("nulls", nulls, "one of " + ", ".join(NULL_RULES), remedy)
    return checks.choice("nulls", nulls, NULL_RULES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A privacy target, checked when it is made.

    Attributes
    ----------
    k : how many records each neighbourhood or group shall have, a whole number >= 1
    epsilon : the rating distance >= 0 within which two ratings are indistinguishable
    l : the SD that every sensitive issue shall have in each, >= 0; None asks for none
    nulls : one of NULL_RULES; of AUDIT_NULL_RULES where only neighbourhoods are asked for
    sensitive_nulls : one of SENSITIVE_NULLS
    """

    asymmetric: ClassVar[bool] = False
    """Whether a rule that has no pairs will do."""

    k: int
    epsilon: float
    l: float | None = None  # noqa: E741 -- the theory's word
    nulls: str = "strict"
    sensitive_nulls: str = "paper"

    def __post_init__(self) -> None:
        """Check every value and bring it to its type."""
        pairs = not self.asymmetric
        checked = {
            "k": checks.whole_number("k", self.k, 1),
            "epsilon": checks.non_negative_number("epsilon", self.epsilon),
            "l": None if self.l is None else checks.sd_bound("l", self.l),
            "nulls": null_rule(self.nulls)
            if pairs
            else checks.choice("nulls", self.nulls, AUDIT_NULL_RULES),
            "sensitive_nulls": checks.choice(
                "sensitive_nulls", self.sensitive_nulls, SENSITIVE_NULLS
            ),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def keywords(self) -> dict[str, Any]:
        """k, epsilon, l and the rules of nulls,
        for a function that has them as parameters of its own.
        """
        return {part.name: getattr(self, part.name) for part in fields(Target)}

    @property
    def model(self) -> str:
        """The target in a word, as ``k=5, ε=1, l=0.5``."""
        return f"k={self.k}, ε={in_full(self.epsilon)}" + (
            "" if self.l is None else f", l={in_full(self.l)}"
        )

    @property
    def of_sensitive(self) -> dict[str, float]:
        """Every demand on the values of sensitive issues, by parameter."""
        return {} if self.l is None else {"l": self.l}

    @property
    def idle(self) -> tuple[str, ...]:
        """The demands of :attr:`of_sensitive` that no data could fail."""
        return ("l",) if self.l == 0 else ()

    def check_data(self, records: int, *, sensitive: bool, numeric: bool = True) -> None:
        """Refuse data that cannot be held to this target; ``numeric``:
        some sensitive issue is of numbers.
        """
        if records == 0:
            raise ParameterError("table", "no records", "at least one record")
        if self.l is not None and not sensitive:
            remedy = "name one with `sensitive`, or leave `l` out"
            raise ParameterError("l", self.l, "data with a sensitive item", remedy)
        if self.l is not None and not numeric:
            expected = "data with a sensitive item of numbers: an SD of categories means nothing"
            remedy = "leave `l` out; an audit takes other demands, as `distinct`"
            raise ParameterError("l", self.l, expected, remedy)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseTarget(Target):
    """What a release shall meet: a target, or one against any few known ratings [ours].

    Attributes
    ----------
    m : any at most so many known ratings of a record shall leave k records, within ε of them, by
        the null rule "known"; None: all ratings are known
    searched : whether ε is not given, and the method looks for the smallest that serves
    """

    asymmetric: ClassVar[bool] = True

    m: int | None = None
    searched: bool = False

    def __post_init__(self) -> None:
        """Check every value and bring it to its type."""
        Target.__post_init__(self)
        if self.m is None:
            null_rule(self.nulls)
            return
        object.__setattr__(self, "m", checks.whole_number("m", self.m, 1))
        if self.nulls != "known":
            expected = "known: known ratings compare what is known only"
            raise ParameterError("nulls", self.nulls, expected, "use no `nulls`, or known")
        if self.l is not None:
            expected = "no `l`: known ratings are counted, and not the inference of others"
            raise ParameterError("l", self.l, expected, "leave `l` out")

    @property
    def model(self) -> str:
        """The target in a word, as ``k=5, ε=1, any 2 known``."""
        said = super(ReleaseTarget, self).model
        return said if self.m is None else f"{said}, any {self.m} known"
