"""What a release is still good for, as a page: every measure beside its references, question by question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ratingpriv.data.table.description import TableDescription
from ratingpriv.report.gates.outcome import required_section
from ratingpriv.report.page import Page, Section, Table
from ratingpriv.report.plain import count, percent, plural
from ratingpriv.report.utility.meanings import MEANINGS
from ratingpriv.report.wording import as_options, audited, part
from ratingpriv.utility.measured import Measured
from ratingpriv.utility.result import Utility

__all__ = ["measures_table", "utility_page"]

_SHOWN = 20
"""So many questions are shown one by one; JSON has all."""

_NOTE = (
    "Original: the same measure of the original itself. Worthless: that of a release in which every rating "
    "is a random one of the same question. What is no better than that is lost.",
    "This says what is left to work with, and nothing of who is protected: audit and attack the release.",
)


def utility_page(result: Utility) -> Page:
    """Return the page of what was measured."""
    return Page(
        headline=_headline(result),
        sections=(
            required_section(result.judged),
            Section("What is left", tuple(_left(result.measured))),
            Section("What could not be measured", tuple(_not_measured(result.measured))),
            Section("Question by question", tuple(_questions(result))),
            Section("How to read this", _NOTE),
            Section("What was compared", tuple(_compared(result))),
        ),
        good=result.passed,
    )


def measures_table(measured: Mapping[str, Measured]) -> Table:
    """Return the measures that there are, a row each, beside their references."""
    rows = tuple(
        (MEANINGS[name].title, _cell(one.value), _cell(one.original), _cell(one.worthless),
         MEANINGS[name].better)
        for name, one in measured.items()
        if one.value is not None
    )  # fmt: skip
    columns = ("measure", "release", "original", "worthless", "better")
    return Table(columns, rows, (False, True, True, True, False))


def _headline(result: Utility) -> str:
    files = f"{_named(result.release)} beside {_named(result.original)}"
    missed = ", ".join(str(one.requirement) for one in result.judged if not one.met)
    if missed:
        return f"FAILED: {files} does not keep {missed}."
    if result.judged:
        return f"PASSED: {files} keeps {', '.join(str(one.requirement) for one in result.judged)}."
    there = sum(one.value is not None for one in result.measured.values())
    if not there:
        return f"NOT MEASURED: nothing could be measured of {files}. That does not mean that it is useful."
    return f"MEASURED: {files}, by {there} of {count(len(result.measured), 'measure')}."


def _named(table: TableDescription) -> str:
    return table.name + part(table)


def _left(measured: Mapping[str, Measured]) -> Iterator[str | Table]:
    table = measures_table(measured)
    if not table.rows:
        return
    yield table
    for name, one in measured.items():
        if one.value is not None:
            meaning = MEANINGS[name]
            yield f"{meaning.title}: {meaning.sentence}{_range(one)}{meaning.more(one.details)}"


def _range(one: Measured) -> str:
    """Say the interval and what it is of."""
    if one.low is None or one.high is None:
        return ""
    return f" ({_cell(one.low)} to {_cell(one.high)}: {as_options(one.of)})"


def _not_measured(measured: Mapping[str, Measured]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for name, one in measured.items():
        if one.value is None:
            reasons.setdefault(one.reason, []).append(MEANINGS[name].title)
    for reason, titles in reasons.items():
        yield f"{', '.join(titles)}: {as_options(reason)}"


def _questions(result: Utility) -> Iterator[str | Table]:
    """Yield what survey people look at first: each question's answers, mean and SD, and the scale's alpha."""
    one = result.measured.get("questions")
    if one is None or "questions" not in one.details:
        return
    each = one.details["questions"]
    rows = tuple(
        (
            question["name"],
            *(
                str(side[key]) if key == "ratings" else _cell(side[key], "-")
                for key in ("ratings", "mean", "sd")
                for side in (question["before"], question["after"])
            ),
            "-" if question["moved"] is None else percent(question["moved"]),
        )
        for question in each[:_SHOWN]
    )
    columns = ("question", "answers", "now", "mean", "now", "SD", "now", "answers moved")
    yield Table(columns, rows, (False, *(True,) * 7))
    if len(each) > _SHOWN:
        yield f"{_SHOWN} of {count(one.details['of_questions'], 'question')}; --questions FILE writes all"
    alpha = one.details["cronbach_alpha"]
    yield (
        "Cronbach's alpha over the records that answered every question: "
        + ", now ".join(
            f"{_cell(alpha[side]['value'])} ({count(alpha[side]['records'], 'record')})"
            for side in ("before", "after")
        )
    )


def _compared(result: Utility) -> Iterator[str]:
    for what, table in (("original", result.original), ("release", result.release)):
        yield f"{what}: {table.name}, {audited(table)}{part(table)}"
    how = {"key": "by the release's key", "ids": "by the ids that were kept", None: None}[result.paired_by]
    if how is None:
        yield "which released record is whose is not known: --truth says it (a key, or ids)"
    else:
        suppressed = result.withheld or 0
        yield f"released records are paired with their originals {how}; " + (
            f"{count(suppressed, 'record')} suppressed" if suppressed else "none is suppressed"
        )
    for issues, whose in ((result.issues_lost, "original"), (result.issues_added, "release")):
        if issues:
            yield f"{count(issues, 'question')} {plural(issues, 'is', 'are')} in the {whose} only"
    yield f"seed {result.parameters.seed}"


def _cell(value: float | None, without: str = "not measured") -> str:
    return without if value is None else f"{value:.4g}"
