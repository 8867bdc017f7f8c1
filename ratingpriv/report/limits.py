"""The numbers of a result that ``--require`` can set a limit to, by name, taken from its JSON contract.

A number that the result does not have says why, and keeps no limit. One that the result knows only to lie in
an interval has the interval with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ratingpriv.base.requirement import Judged, Requirement
from ratingpriv.report.wording import as_options

type _Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a result, or why there is none; ``low`` and ``high`` where it is not exact."""

    value: float | Fraction | None
    reason: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """What a number is, in words, and how it is taken from a result's document."""

    meaning: str
    take: Callable[[_Document], Number]


def judge(document: _Document, requirements: Iterable[Requirement]) -> tuple[Judged, ...]:
    """Hold the numbers of a document to limits."""
    judged = []
    for one in requirements:
        command = str(document["schema"]).removeprefix("ratingpriv.").partition("/")[0]
        found = NUMBERS[command][one.measure].take(document)
        judged.append(one.judge(found.value, found.reason, low=found.low, high=found.high))
    return tuple(judged)


def names(command: str) -> dict[str, str]:
    """Return the names that a command's ``--require`` takes, each with what it is."""
    if command == "utility":
        from ratingpriv.report.meanings import MEANINGS

        return {name: as_options(one.title) for name, one in MEANINGS.items()}
    return {name: source.meaning for name, source in NUMBERS[command].items()}


def _at(*path: str, without: str = "it is not known") -> Callable[[_Document], Number]:
    """Return what takes the number at a place of the document; ``without`` is said where there is none."""

    def take(document: _Document) -> Number:
        value: Any = document
        for key in path:
            value = None if value is None else value[key]
        return Number(None, without) if value is None else Number(value)

    return take


def _extreme(
    choose: Callable[[Iterable[float]], float], values: Iterable[float | None], without: str
) -> Number:
    """Return the smallest or largest of the values that there are."""
    there = [value for value in values if value is not None]
    return Number(choose(there)) if there else Number(None, without)


def _share(count: int, of: int) -> Number:
    return Number(Fraction(count, of)) if of else Number(None, "there are no records")


# ---- audit ----

_NOTHING_KNOWN = "no answer to a sensitive item is known"
_NOT_SENSITIVE = "no item is sensitive: name one with --sensitive"


def _audit_l(document: _Document) -> Number:
    verdict = document["k_epsilon_l"]
    if verdict is None:
        return Number(None, "it is measured with --l")
    return _extreme(min, verdict["max_l"].values(), _NOTHING_KNOWN)


def _inferred(key: str, choose: Callable[[Iterable[float]], float]) -> Callable[[_Document], Number]:
    def take(document: _Document) -> Number:
        found = document["inference"].values()
        return _extreme(choose, (one[key] for one in found), _NOTHING_KNOWN if found else _NOT_SENSITIVE)

    return take


def _exposure(key: str) -> Callable[[_Document], Number]:
    """Return what takes a number of the exposure, with where it surely lies if it is not exact."""

    def take(document: _Document) -> Number:
        exposure = document["exposure"]
        if exposure is None:
            return Number(None, "it is measured with --exposure")
        if key == "expected":
            return Number(exposure[key], low=exposure["expected_low"], high=exposure["expected_high"])
        if exposure[f"{key}_exact"]:
            return Number(exposure[key])
        if key == "worst":  # a search found it: there may be worse
            return Number(exposure[key], low=min(1, exposure[key]), high=exposure[key])
        return Number(exposure[key], low=exposure[key], high=exposure["of_records"])

    return take


_AUDIT = {
    "max_k": Source("the largest k that holds", _at("k_epsilon", "max_k")),
    "max_l": Source("the largest l that holds, of every sensitive item", _audit_l),
    "n_violators": Source("records that break the verdict", _at("n_violators")),
    "share_violators": Source(
        "the share of records that do", lambda one: _share(one["n_violators"], one["dataset"]["records"])
    ),
    "share_below_k": Source(
        "the share of records with fewer than k in their neighbourhood",
        lambda one: _share(one["k_epsilon"]["violators"], one["dataset"]["records"]),
    ),
    "prosecutor_max": Source(
        "the largest chance of a pick at random within epsilon of the exact ratings",
        _at("risk", "prosecutor_max"),
    ),
    "marketer": Source("its mean over the records", _at("risk", "marketer")),
    "largest_share": Source(
        "the largest share of one sensitive answer in a neighbourhood", _inferred("largest_share", max)
    ),
    "distinct": Source(
        "the fewest distinct sensitive answers in a neighbourhood", _inferred("distinct", min)
    ),
    "entropy": Source(
        "the largest L of entropy l-diversity that holds, of every sensitive item",
        _inferred("entropy_l", min),
    ),
    "exposure_expected": Source("with --exposure: the expected chance of a pick", _exposure("expected")),
    "exposure_worst": Source("with --exposure: the fewest records that remain", _exposure("worst")),
    "exposure_certain": Source(
        "with --exposure: records that some knowledge singles out", _exposure("certain")
    ),
}

# ---- frontier ----


def _smallest(key: str) -> Callable[[_Document], Number]:
    def take(document: _Document) -> Number:
        found = document["smallest_epsilon"]
        if found is None:
            return Number(None, "it is searched for with --k or --l, and without --epsilon")
        reason = found["reason"] or "none was found that protects"
        return Number(None, reason) if found[key] is None else Number(found[key])

    return take


def _of_row(take: Callable[[_Document], Number]) -> Callable[[_Document], Number]:
    """Return what takes a number of the one distance that was asked for."""

    def of_document(document: _Document) -> Number:
        if len(document["parameters"]["epsilon"] or ()) != 1:
            return Number(None, "it is that of one distance: give --epsilon once")
        (row,) = document["rows"]
        return take(row) if row["protection"] else Number(None, "this epsilon protects nothing")

    return of_document


_FRONTIER = {
    "smallest_epsilon": Source("with --k or --l: the smallest epsilon that does", _smallest("neighbourhood")),
    "smallest_partition": Source("the same by a partition that was found", _smallest("partition")),
    "max_k": Source("with one --epsilon: the largest k that holds", _of_row(_at("max_k"))),
    "max_l": Source(
        "with one --epsilon: the largest l that holds, of every sensitive item",
        _of_row(lambda row: _extreme(min, row["max_l"].values(), _NOTHING_KNOWN)),
    ),
    "singletons": Source("with one --epsilon: records that are alone", _of_row(_at("singletons"))),
}

# ---- partition, verify ----

_PARTITION = {
    "groups": Source("how many groups there are", _at("groups")),
    "min_size": Source("the records of the smallest group", _at("min_size", without="there is no group")),
    "max_size": Source("the records of the largest group", _at("max_size", without="there is no group")),
    "min_sd": Source(
        "the least SD of a sensitive item in a group",
        lambda one: _extreme(min, one["min_sd"].values(), _NOTHING_KNOWN),
    ),
    "withheld": Source("records in no group", _at("withheld")),
    "share_withheld": Source(
        "the share of records in no group", lambda one: _share(one["withheld"], one["dataset"]["records"])
    ),
}


def _counted(take: Callable[[_Document], Number]) -> Callable[[_Document], Number]:
    """Return what takes a number of what was counted in a release: for the demand, else for the claim."""

    def of_document(document: _Document) -> Number:
        found = document["demanded"] or document["found"]
        return Number(None, "the file was not counted") if found is None else take(found)

    return of_document


_VERIFY = {
    "max_k": Source("the largest k that holds, for your demand, else the claim", _counted(_at("largest_k"))),
    "max_l": Source(
        "the largest l that holds, likewise",
        _counted(
            lambda found: (
                Number(None, "l is neither claimed nor demanded")
                if found["largest_l"] is None
                else _extreme(min, found["largest_l"].values(), _NOTHING_KNOWN)
            )
        ),
    ),
    "n_violators": Source("records that break it, likewise", _counted(_at("violators"))),
    "prosecutor_max": Source(
        "the largest chance of a pick at random within epsilon of the exact ratings",
        _counted(_at("highest_risk")),
    ),
}

# ---- attack ----


def _on_release(document: _Document, algorithm: str | None = None) -> list[_Document]:
    """Return what each algorithm did, on the release if there is one, else on the data."""
    rows = [row for row in document["suite"] if algorithm in (None, row["algorithm"])]
    return [row.get("release", row) for row in rows]


def _highest(rates: Iterable[_Document], without: str) -> Number:
    """Return the highest of some rates, with how low and how high it may be; each has to be measured."""
    found = list(rates)
    if not found or any(one["rate"] is None for one in found):
        return Number(None, without)
    low, high = (max(one[end] for one in found) for end in ("low", "high"))
    return Number(max(one["rate"] for one in found), low=low, high=high)


def _success(key: str, algorithm: str | None = None) -> Callable[[_Document], Number]:
    def take(document: _Document) -> Number:
        rows = _on_release(document, algorithm)
        if not rows:
            return Number(None, f"{algorithm} was not run")
        if any(row[key] is None for row in rows):
            return Number(None, "it is measured with --set theta")
        return _highest((row[key] for row in rows), "no target could be attacked")

    return take


def _guessed(document: _Document) -> Number:
    rows = [row["inference"] for row in _on_release(document)]
    rates = [one["correct"] for row in rows if row is not None for one in row["sensitive"].values()]
    return _highest(rates, "of some sensitive item nothing could be guessed" if rates else _NOT_SENSITIVE)


_ATTACK = {
    "success": Source("targets identified, by the strongest attack", _success("success")),
    **{
        f"success.{name}": Source(f"targets identified by {name}", _success("success", name))
        for name in ("scoreboard", "matching-set", "scoreboard-rh", "entropic", "best-candidate")
    },
    "profile": Source("targets all of whose row is disclosed, found or not", _success("profile")),
    "rating_profile": Source("targets all of whose ratings are", _success("rating_profile")),
    "similar": Source("with --set theta: targets of whom a similar record is named", _success("similar")),
    "inference": Source("the share of sensitive answers that are guessed, of the worst item", _guessed),
}

NUMBERS: Mapping[str, Mapping[str, Source]] = {
    "audit": _AUDIT,
    "frontier": _FRONTIER,
    "partition": _PARTITION,
    "verify": _VERIFY,
    "attack": _ATTACK,
}
"""By command, in the order in which help and errors list them."""
