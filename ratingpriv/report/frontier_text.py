"""A frontier as a page: the table of distances, then the answers in sentences."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ratingpriv.audit.frontier.result import Frontier, FrontierRow, Interval
from ratingpriv.report.plain import count, number, printable
from ratingpriv.report.rows import aligned

__all__ = ["frontier_text"]

_EPSILON_NOTE = (
    "Epsilon is a distance between ratings: two ratings that differ by no more count as alike. It is not the "
    "epsilon of differential privacy."
)


def frontier_text(result: Frontier, *, width: int = 80) -> str:
    """Return the page as plain text; the table is as wide as it needs to be."""
    dataset = result.dataset
    lines = [
        *_paragraph(_headline(result), width),
        "",
        _table(result),
        "",
        *_section("Answers", _answers(result), width),
    ]
    if result.warnings:
        lines += ["", *_section("Before you rely on this", map(_sentence, result.warnings), width)]
    sensitive = ", ".join(printable(name) for name in dataset.sensitive) or "none"
    asked = result.parameters
    rules = f"nulls {asked.nulls}" + (
        f", sensitive nulls {asked.sensitive_nulls}" if dataset.sensitive else ""
    )
    looked = (
        f"{count(dataset.records, 'record')}, {count(dataset.issues, 'issue')}, "
        f"{count(dataset.ratings, 'rating')}; sensitive: {sensitive}; {rules}; method {asked.method}."
    )
    return "\n".join([*lines, "", *_section("What was looked at", [looked, _EPSILON_NOTE], width), ""])


def _headline(result: Frontier) -> str:
    name, asked = printable(result.dataset.name), result.parameters
    if asked.k is None and asked.l is None:
        return f"{name}: what holds at each distance epsilon"
    return f"{'WITHIN REACH' if result.satisfied else 'NOT WITHIN REACH'}: {_target(result)} for {name}"


def _target(result: Frontier) -> str:
    asked = result.parameters
    k = None if asked.k is None else f"k = {asked.k}"
    l = None if asked.l is None else f"l = {number(asked.l)}"  # noqa: E741
    return " with ".join(part for part in (k, l) if part is not None)


def _table(result: Frontier) -> str:
    names = list(result.dataset.sensitive)
    asked = any(row.satisfied is not None for row in result.rows)
    searched = any(row.partition is not None for row in result.rows)
    k = next((row.partition.k for row in result.rows if row.partition is not None), 0)
    header = ["epsilon", "largest k", *(f"largest l of {printable(name)}" for name in names), "unique"]
    header += [_target(result).replace(" with ", ", ")] if asked else []
    header += [f"groups of {k}+"] if searched else []
    rows = [
        [
            number(row.epsilon),
            f"{row.max_k:,}",
            *("any" if (l := row.max_l[name]) is None else f"{l:.4g}" for name in names),  # noqa: E741
            f"{row.singletons:,}",
            *([("holds" if row.satisfied else "no")] if asked else []),
            *([_partition(row)] if searched else []),
        ]
        for row in result.rows
    ]
    right = [True] * (2 + len(names) + 1) + [False] * (asked + searched)
    return "\n".join(f"  {line}" for line in aligned(header, rows, right).splitlines())


def _partition(row: FrontierRow) -> str:
    found = row.partition
    if found is None:
        return ""
    if found.proved_impossible:
        return "impossible"
    if not found.found:
        return "none found"
    least = ", ".join(f"{'any' if sd is None else f'{sd:.3g}'}" for sd in found.min_sd.values())
    same = "" if found.epsilon == row.epsilon else f" (of {number(found.epsilon)})"
    return f"{found.groups:,} groups" + (f", SD {least}" if least else "") + same


def _answers(result: Frontier) -> Iterator[str]:
    asked, smallest = result.parameters, result.smallest_epsilon
    if smallest is None:
        yield from _by_row(result)
        return
    target = _target(result)
    if smallest.neighbourhood is None:
        if result.feasible is not None:
            yield f"No epsilon does: {target} does not hold at any distance."
    else:
        yield (
            f"The smallest epsilon for {target} is {number(smallest.neighbourhood)}: there, and at no "
            "smaller distance, every neighbourhood has what was asked for. This is exact."
        )
    if asked.l is not None and result.feasible:
        yield f"The epsilons that do: {_intervals(result.feasible)}. Every distance was decided."
        other = "ignore" if asked.sensitive_nulls == "paper" else "paper"
        theirs = result.feasible_by_rule[other]
        if theirs != result.feasible:
            yield f"Under the other rule for sensitive nulls ({other}): {_intervals(theirs) or 'none'}."
    if asked.method == "paper":
        yield from _paper(result)
    elif asked.partition:
        yield _smallest_partition(result)


def _by_row(result: Frontier) -> Iterator[str]:
    asked = result.parameters
    if asked.k is not None or asked.l is not None:
        good = [number(row.epsilon) for row in result.rows if row.satisfied]
        named = ", ".join(number(row.epsilon) for row in result.rows)
        yield f"Of the distances {named}, {_target(result)} holds at: {', '.join(good) or 'none'}."
        return
    yield (
        "Largest k: how many records, at least, nobody can tell apart who knows ratings to within epsilon. "
        "Unique: records that are recognised with certainty. Name a k (--k) or an l (--l) to learn which "
        "epsilons do."
    )


def _smallest_partition(result: Frontier) -> str:
    asked, smallest = result.parameters, result.smallest_epsilon
    assert smallest is not None  # noqa: S101 -- for the type checker
    groups = "2 records" if asked.k is None else count(asked.k, "record")
    what = f"groups of at least {groups} that are all alike"
    if asked.l is not None:
        what += f", each with an SD of at least {number(asked.l)}"
    if smallest.partition is None:
        proved = " This is proved." if smallest.partition_proved else " That proves nothing."
        return f"By partition: no epsilon was found at which everybody is in {what}.{proved}"
    claim = (
        "proved to be the smallest"
        if smallest.partition_proved
        else "the smallest that the search found; a smaller one is not ruled out"
    )
    return f"By partition: at epsilon {number(smallest.partition)} everybody is in {what}; {claim}."


def _paper(result: Frontier) -> Iterator[str]:
    smallest = result.smallest_epsilon
    steps = ", ".join(
        f"{number(step.epsilon)} {'serves' if step.served else 'does not'}" for step in result.bisection or ()
    )
    at = None if smallest is None else smallest.partition
    answer = "it finds none" if at is None else f"epsilon = {number(at)}"
    yield f"The paper's bisection by partition: {answer}. It tried: {steps}."


def _intervals(intervals: tuple[Interval, ...]) -> str:
    return "; ".join(
        f"from {number(one.start)} on"
        if one.below is None
        else f"from {number(one.start)} to just below {number(one.below)}"
        for one in intervals
    )


def _section(title: str, sentences: object, width: int) -> list[str]:
    lines = [title]
    for sentence in sentences:  # type: ignore[attr-defined]
        lines += textwrap.wrap(sentence, width, initial_indent=" - ", subsequent_indent="   ")
    return lines


def _paragraph(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, len(text)))


def _sentence(text: str) -> str:
    text = printable(text)
    return text[:1].upper() + text[1:].removesuffix(".") + "."
