"""A recommendation as a page: what suppression alone achieves, the table of costs, and what it is not."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ratingpriv.anonymize.methods import METHODS
from ratingpriv.base.cautions import WILDCARD
from ratingpriv.base.numbers import in_full
from ratingpriv.base.target import Target
from ratingpriv.data.table import RatingTable
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count, percent, plural, share
from ratingpriv.report.wording import (
    EPSILON_NOTE,
    about_part,
    as_options,
    audited,
    before_relying,
    every_record,
    not_meant,
    other_columns,
    part,
)
from ratingpriv.studies.recommend.recommend import estimated_seconds
from ratingpriv.studies.recommend.result import FRONT, Option, Recommendation
from ratingpriv.studies.recommend.staircase import Staircase

__all__ = ["recommendation_page", "telling_rows"]

_WORDS = {
    "max_k": "largest k",
    "records_suppressed": "records suppressed",
    "ratings_kept": "ratings kept",
    "query_error": "query error",
    "exposure_expected": "expected exposure",
    "attack_success": "attack success",
    "profile_disclosed": "profiles disclosed",
}
_COLUMNS = (
    "method", "k", "largest k", "suppressed", "kept", "imputed", "query error", "expected", "worst", "attack",
    "profile", "front",
)  # fmt: skip
_NO_VERDICT = (
    "This is a table of costs, not a verdict: a row on a front is one that no other row here beats. It may "
    "be unfit to be released all the same, and what was not measured is not in it."
)


def recommendation_page(result: Recommendation, *, data: str = "DATA") -> Page:
    """Return the page of a recommendation; ``data`` as for :func:`ratingpriv.report.audit.audit_page`."""
    dataset = result.dataset
    fronts = sum(one.front is True for one in result.options)
    made = sum(not one.reason for one in result.options)
    said = about_part(dataset)
    wildcard = " UNDER WILDCARD" if WILDCARD in result.notes else ""
    return Page(
        headline=(
            f"{dataset.name}{part(dataset)}{wildcard}: {count(made, 'release')} measured, {fronts} on "
            f"{plural(len(result.fronts), 'the front', 'the fronts')}"
        ),
        explanation=(*(() if said is None else (said,)), _NO_VERDICT),
        sections=(
            Section("What suppressing few records achieves", tuple(_suppression(result))),
            *(
                Section(f"Costs at epsilon = {in_full(front.epsilon)}", tuple(_costs(result, place)))
                for place, front in enumerate(result.fronts)
            ),
            Section("Not measured, and why", tuple(_left_out(result))),
            Section("What the columns are", tuple(_columns(result))),
            before_relying(result.notes),
            Section("What to do next", tuple(_next(result, data))),
            Section("What was looked at", (f"{audited(dataset)}{other_columns(dataset)}", EPSILON_NOTE)),
        ),
    )


def telling_rows(
    table: RatingTable, methods: Sequence[str], note: Callable[[str], object]
) -> Callable[[int, int, Option | None], None]:
    """Return an ``on_row`` that notes how long the rows will take, then each row when it is done."""
    began, before = 0.0, 0

    def on_row(done: int, of: int, row: Option | None) -> None:
        nonlocal began, before
        if row is None:
            began = time.monotonic()
            seconds = estimated_seconds(table, methods or tuple(METHODS), of)
            note(f"{of} releases to make and measure; at a guess {_duration(seconds)}")
            return
        before = before or done  # those before are of the journal
        each = (time.monotonic() - began) / (done - before + 1)
        left = f"; about {_duration(each * (of - done))} left" if done < of else ""
        note(f"{done} of {of}: {_row_line(row, table.n_records)}{left}")

    return on_row


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _row_line(one: Option, records: int) -> str:
    where = f"{one.method}, k = {one.k:,}, epsilon = {in_full(one.epsilon)}"
    if one.reason:
        return f"{where}: no release"
    row = dict(zip(_COLUMNS, _row(one, records), strict=True))
    told = (f"{name} {row[name]}" for name in ("suppressed", "kept", "query error", "expected", "attack"))
    return f"{where}: {', '.join(told)}"


def _suppression(result: Recommendation) -> Iterator[str | Table]:
    found = [(stair, knee) for stair in result.suppression for knee in stair.knees[:3]]
    for stair, knee in found:
        before = stair.steps[0].k
        yield (
            f"Suppress {count(knee.suppressed, 'record')} of {stair.records:,} "
            f"({share(knee.suppressed, stair.records)}) and k = {knee.k:,} at epsilon = "
            f"{in_full(stair.epsilon)}; as the data are, k = {before:,}. No fewer will do: proved."
        )
    for stair in result.suppression:
        if not stair.knees:
            yield _without_knees(stair)
    if found:
        stair, knee = max(found, key=lambda one: one[1].k / one[0].steps[0].k)
        model = Target(k=knee.k, epsilon=stair.epsilon)
        yield (
            f"k = {knee.k:,} at epsilon = {in_full(stair.epsilon)}, of the records that are left: "
            f"{every_record(model.k, model.epsilon, result.dataset)} "
            f"{not_meant(model.k, model.epsilon, result.dataset)}"
        )


def _without_knees(stair: Staircase) -> str:
    first = stair.steps[0]
    if len(stair.steps) == 1:
        return (
            f"At epsilon = {in_full(stair.epsilon)}: k = {first.k:,} as the data are, and no larger k is in "
            "reach by suppression."
        )
    after = stair.steps[1]
    return (
        f"At epsilon = {in_full(stair.epsilon)}: k = {first.k:,} as the data are; k = {after.k:,} costs "
        f"{count(after.suppressed, 'record')} of {stair.records:,} "
        f"({share(after.suppressed, stair.records)}), the fewest: proved."
    )


def _costs(result: Recommendation, place: int) -> Iterator[str | Table]:
    front = result.fronts[place]
    rows = [one for one in result.options if one.epsilon == front.epsilon]
    yield Table(
        _COLUMNS,
        tuple(_row(one, result.dataset.records) for one in rows),
        (False, *(True,) * 10, False),
    )
    words = ", ".join(
        f"{_WORDS[name]} ({better} is better)" for name, better in FRONT if name in front.columns
    )
    if front.compared:
        yield (
            f"The front is of {count(front.compared, 'row')} by: {words}; by their values, whatever the "
            "intervals."
        )
    missing = [_WORDS[name] for name, _ in FRONT if name not in front.columns]
    if missing and front.compared:
        yield f"Not in the front, as no row has it: {', '.join(missing)}."


def _row(one: Option, records: int) -> tuple[str, ...]:
    if one.reason:
        return (one.method, str(one.k), "", "no release", *("",) * 8)
    gone, holds = one.value("records_suppressed"), one.value("max_k")
    kept, imputed, query = (one.value(name) for name in ("ratings_kept", "ratings_imputed", "query_error"))
    worst = one.measures.get("exposure_worst", {})
    at_most = "" if worst.get("low") == worst.get("value") else "<= "
    return (
        one.method,
        f"{one.k:,}",
        "" if holds is None else f"{int(holds):,}",
        "" if gone is None else f"{int(gone):,} ({share(int(gone), records)})",
        *("-" if value is None else percent(value) for value in (kept, imputed)),
        "-" if query is None else f"{query:.3g}",
        _expected(one.measures.get("exposure_expected", {})),
        "-" if worst.get("value") is None else f"{at_most}{int(worst['value']):,}",
        _percent(one, "attack_success"),
        _percent(one, "profile_disclosed"),
        {True: "front", False: "", None: "-"}[one.front],
    )


def _expected(found: Mapping[str, Any]) -> str:
    if found.get("value") is None:
        return "-"
    drawn = "" if found["low"] == found["high"] else "~"
    return f"{drawn}{100 * found['value']:.3g} %"


def _percent(one: Option, measure: str) -> str:
    value = one.value(measure)
    return "-" if value is None else percent(value)


def _left_out(result: Recommendation) -> Iterator[str]:
    for considered in result.epsilons:
        if considered.reason:
            yield f"epsilon = {in_full(considered.epsilon)}: {as_options(considered.reason)}"
    for one in result.options:
        where = f"{one.method}, k = {one.k:,}, epsilon = {in_full(one.epsilon)}"
        if one.reason:
            yield f"{where}: {as_options(one.reason)}"
            continue
        reasons: dict[str, list[str]] = {}
        for name, measure in one.measures.items():
            if measure.get("reason"):
                reasons.setdefault(measure["reason"], []).append(name.replace("_", " "))
        for reason, names in reasons.items():
            yield f"{where}: {', '.join(names)}: {as_options(reason)}"


def _columns(result: Recommendation) -> Iterator[str]:
    error = result.parameters["exposure"]
    exact = error == 0 or (error is None and not any(front.epsilon for front in result.fronts))
    off = "the row's epsilon" if error is None else in_full(error)
    adversary = "exact knowledge" if exact else f"knowledge that is off by up to {off}"
    yield (
        "k: what was asked for. Largest k: what holds. Kept: ratings of the data that are released as they "
        "were. Imputed: ratings released that nobody gave, for each rating of the data. Query error: mean "
        "relative error of random counting queries, 0 for the data."
    )
    yield (
        f"Expected, worst: exposure to {adversary}: the chance that a pick at random among the records that "
        "fit is right, in expectation; and the fewest records that some such knowledge was found to leave "
        "(<=: there may be fewer). ~: from draws; the table (-o) and --json have the interval."
    )
    known = [
        one.measures["attack_success"]["original"]
        for one in result.options
        if one.measures.get("attack_success", {}).get("original") is not None
    ]
    before = f" In the data as they are: {percent(max(known))}." if known else ""
    yield (
        "Attack: targets among the released records that the strongest attack of the suite identified, by up "
        f"to 8 exact ratings of each.{before} A low number is no proof. Profile: those whose best candidates "
        "are identical, their own record among them: they are not told apart, and all that is released of "
        "them is disclosed."
    )


def _next(result: Recommendation, data: str) -> Iterator[str | Command]:
    chosen = next((one for one in result.options if one.front), None)
    if chosen is None:
        return
    l = "" if chosen.l is None else f" --l {in_full(chosen.l)}"  # noqa: E741
    nulls = "" if result.parameters["nulls"] == "strict" else f" --nulls {result.parameters['nulls']}"
    yield "Choose a row, and make the release: it is audited before it gets its name. The first on a front:"
    yield Command(
        f"ratingpriv anonymize {data} --k {chosen.k} --epsilon {in_full(chosen.epsilon)}{l}{nulls} "
        f"--method {chosen.method} -o RELEASE.csv"
    )
