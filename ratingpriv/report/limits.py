"""The numbers of a result that ``--require`` can set a limit to, by name,
taken from its JSON contract.

A number that the result does not have says why, and keeps no limit. One that the result knows only
to lie in an interval has the interval with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.requirement import Judged, Requirement
from ratingpriv.report.meanings import title
from ratingpriv.utility.comparing import BETTER

type _Document = Mapping[str, Any]

_RISK = "the largest chance of a pick at random within epsilon of the exact ratings"

NUMBERS: Mapping[str, Mapping[str, str]] = {
    "audit": {
        "max_k": "the largest k that holds",
        "max_l": "the largest l that holds, of every sensitive item",
        "n_violators": "records that break the verdict",
        "share_violators": "the share of records that do",
        "share_below_k": "the share of records with fewer than k in their neighbourhood",
        "prosecutor_max": _RISK,
        "marketer": "its mean over the records",
        "largest_share": "the largest share of one sensitive value in a neighbourhood",
        "distinct": "the fewest distinct sensitive values in a neighbourhood",
        "entropy": "the largest L of entropy l-diversity that holds, of every sensitive item",
        "distance": "with --set t-closeness: the largest distance of sensitive values from those "
        "of all",
        "exposure_expected": "with --exposure: the expected chance of a pick",
        "exposure_worst": "with --exposure: the fewest records that remain",
        "exposure_certain": "with --exposure: records that some knowledge singles out",
    },
    "frontier": {
        "smallest_epsilon": "with --k or --l: the smallest epsilon that does",
        "smallest_partition": "the same by a partition",
        "max_k": "with one --epsilon: the largest k that holds",
        "max_l": "with one --epsilon: the largest l that holds, of every sensitive item",
        "singletons": "with one --epsilon: records that are isolated",
    },
    "partition": {
        "groups": "how many groups there are",
        "min_size": "the records of the smallest group",
        "max_size": "the records of the largest group",
        "min_sd": "the least SD of a sensitive item in a group",
        "withheld": "records in no group",
        "share_withheld": "the share of records in no group",
    },
    "verify": {
        "max_k": "the largest k that holds, for your demand, else the claim",
        "max_l": "the largest l that holds, likewise",
        "n_violators": "records that break it, likewise",
        "prosecutor_max": _RISK,
    },
    "attack": {
        "success": "targets re-identified, by the strongest attack",
        **{f"success.{name}": f"targets re-identified by {name}" for name in ALGORITHMS},
        "whole_record": (
            "records re-identified by an adversary who knows every rating, and which are missing"
        ),
        "profile": "targets whose whole record is disclosed",
        "rating_profile": "targets whose ratings are all disclosed",
        "similar": "with --set theta: targets of whom a similar record is named",
        "inference": "the share of sensitive values that are inferred, of the worst item",
    },
    "utility": {name: title(name) for name in BETTER},
}
"""What each is, by command, in the order in which help and errors list them."""


_SHARES = frozenset(
    {
        *(name for name in NUMBERS["audit"] if name.startswith("share_")),
        *(
            "prosecutor_max",
            "marketer",
            "largest_share",
            "distance",
            "exposure_expected",
            "share_withheld",
        ),
        *NUMBERS["attack"],
    }
)
"""Numbers that are at most 1."""

_AT_LEAST_ONE = frozenset({"max_k", "distinct"})
"""Numbers that are at least 1; all others are at least 0, but for measures of utility."""


def requirements(command: str, texts: Iterable[str]) -> tuple[Requirement, ...]:
    """Return the limits that ``texts`` say of a command's numbers.

    ParameterError for one that cannot fail.

    A gate that every result passes would be green whatever is measured.
    """
    required = tuple(Requirement.of(text, names(command)) for text in texts)
    for requirement in required:
        measure, below = requirement.measure, requirement.operator == "<="
        least = 1 if measure in _AT_LEAST_ONE else 0
        if below and measure in _SHARES and requirement.limit >= 1:
            raise ParameterError(
                "require", str(requirement), f"a limit below 1: {measure} is at most 1"
            )
        if not below and command != "utility" and requirement.limit <= least:
            raise ParameterError(
                "require", str(requirement), f"a limit above {least}: {measure} is at least {least}"
            )
    return required


def names(command: str) -> Mapping[str, str]:
    """Return the names that a command's ``--require`` takes, each with what it is."""
    return NUMBERS[command]


def judge(document: _Document, requirements: Iterable[Requirement]) -> tuple[Judged, ...]:
    """Hold the numbers of a document to limits."""
    command = str(document["schema"]).removeprefix("ratingpriv.").partition("/")[0]
    judged = []
    for requirement in requirements:
        number = number_of(command, requirement.measure, document)
        judged.append(
            requirement.judge(number.value, number.reason, low=number.low, high=number.high)
        )
    return tuple(judged)


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a result, or why there is none; ``low`` and ``high`` where it is not exact."""

    value: float | Fraction | None
    reason: str = ""
    low: float | None = None
    high: float | None = None


def number_of(command: str, name: str, document: _Document) -> Number:
    """Return the number of a command's document."""
    return _TAKES[command](name, document)


_NOTHING_KNOWN = "no value of a sensitive item is known"
_NOT_SENSITIVE = "no item is sensitive: name one with --sensitive"


def _at(document: _Document, name: str, without: str = "it is not known") -> Number:
    value = document[name]
    return Number(None, without) if value is None else Number(value)


def _extreme(
    choose: Callable[[Iterable[float]], float],
    values: Iterable[float | None],
    without: str = _NOTHING_KNOWN,
) -> Number:
    """Return the smallest or largest of the values that are known."""
    values_known = [value for value in values if value is not None]
    return Number(choose(values_known)) if values_known else Number(None, without)


def _share(count: int, of: int) -> Number:
    return Number(Fraction(count, of)) if of else Number(None, "there are no records")


def _of_audit(name: str, document: _Document) -> Number:
    match name:
        case "max_k":
            return _at(document["k_epsilon"], name)
        case "max_l":
            verdict = document["k_epsilon_l"]
            return (
                _extreme(min, verdict["max_l"].values())
                if verdict
                else Number(None, "it is measured with --l")
            )
        case "share_violators":
            return _share(document["n_violators"], document["dataset"]["records"])
        case "share_below_k":
            return _share(document["k_epsilon"]["violators"], document["dataset"]["records"])
        case "prosecutor_max" | "marketer":
            return _at(document["risk"], name)
        case "distance" if document["t_closeness"] is None:
            return Number(None, "it is measured with --set t-closeness")
        case "largest_share" | "distinct" | "entropy" | "distance":
            of = "entropy_l" if name == "entropy" else name
            issues = document["inference"].values()
            values = (issue[of] for issue in issues)
            return _extreme(
                min if name in ("distinct", "entropy") else max,
                values,
                _NOTHING_KNOWN if issues else _NOT_SENSITIVE,
            )
        case "exposure_expected" | "exposure_worst" | "exposure_certain":
            exposure, key = document["exposure"], name.removeprefix("exposure_")
            if exposure is None:
                return Number(None, "it is measured with --exposure")
            value = exposure[key]
            if key == "expected":
                return Number(value, low=exposure["expected_low"], high=exposure["expected_high"])
            if exposure[f"{key}_exact"]:
                return Number(value)
            if key == "worst":  # a search found it: there may be worse
                return Number(value, low=min(1, value), high=value)
            return Number(value, low=value, high=exposure["of_records"])
    return _at(document, name)


def _of_frontier(name: str, document: _Document) -> Number:
    if name.startswith("smallest_"):
        smallest = document["smallest_epsilon"]
        if smallest is None:
            return Number(None, "it is searched for with --k or --l, and without --epsilon")
        key = "neighbourhood" if name == "smallest_epsilon" else "partition"
        return _at(smallest, key, smallest["reason"] or "none protects")
    if len(document["parameters"]["epsilon"] or ()) != 1:
        return Number(None, "it is that of one distance: give --epsilon once")
    (row,) = document["rows"]
    if not row["protection"]:
        return Number(None, "this epsilon protects nothing")
    return _extreme(min, row["max_l"].values()) if name == "max_l" else _at(row, name)


def _of_partition(name: str, document: _Document) -> Number:
    if name == "min_sd":
        return _extreme(min, document["min_sd"].values())
    if name == "share_withheld":
        return _share(document["withheld"], document["dataset"]["records"])
    return _at(document, name, "there is no group")


def _of_verification(name: str, document: _Document) -> Number:
    """Return a number of what was counted in a release: for the demand, else for the claim."""
    counted = document["demanded"] or document["found"]
    if counted is None:
        return Number(None, "the file was not counted")
    if name == "max_l":
        largest = counted["largest_l"]
        return (
            _extreme(min, largest.values())
            if largest is not None
            else Number(None, "l is neither claimed nor demanded")
        )
    return _at(
        counted,
        {"max_k": "largest_k", "n_violators": "violators", "prosecutor_max": "highest_risk"}[name],
    )


def _of_attack(name: str, document: _Document) -> Number:
    """Return the highest rate on the release, if there is one, else on the data.

    All have to be measured.
    """
    if name == "whole_record":
        success = document.get("release", document)[name]["success"]
        ends = {end: success[end] for end in ("low", "high")}
        without = "the search for the nearest records is too dear"
        return Number(success["rate"], without if success["rate"] is None else "", **ends)
    key, _, algorithm = name.partition(".")
    runs = [run for run in document["suite"] if algorithm in ("", run["algorithm"])]
    rows = [run.get("release", run) for run in runs]
    if name == "inference":
        return _of_guesses(rows)
    if not rows:
        return Number(None, f"{algorithm or 'an attack'} was not run")
    rates = [row[key] for row in rows]
    if None in rates:
        return Number(None, "it is measured with --set theta")
    return _highest(rates, "no target could be attacked")


def _of_guesses(rows: Sequence[_Document]) -> Number:
    guesses = [row["inference"] for row in rows]
    rates = [rate["correct"] for guess in guesses if guess for rate in guess["sensitive"].values()]
    return _highest(
        rates, "no value of some sensitive item could be inferred" if rates else _NOT_SENSITIVE
    )


def _highest(rates: Sequence[_Document], without: str) -> Number:
    """Return the highest of rates with the highest ends of intervals; ``without`` :
    why there is none.
    """
    if not rates or any(rate["rate"] is None for rate in rates):
        return Number(None, without)
    low, high = (max(rate[end] for rate in rates) for end in ("low", "high"))
    return Number(max(rate["rate"] for rate in rates), low=low, high=high)


_TAKES: Mapping[str, Callable[[str, _Document], Number]] = {
    "attack": _of_attack,
    "audit": _of_audit,
    "frontier": _of_frontier,
    "partition": _of_partition,
    "verify": _of_verification,
}
