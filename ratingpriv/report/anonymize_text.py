"""A release as a page: what was changed, what it cost, what is proved, what to keep secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from ratingpriv.anonymize.release.result import Release
from ratingpriv.report.as_text import EPSILON_NOTE
from ratingpriv.report.page import Page, print_page
from ratingpriv.report.plain import count, number, printable, share

__all__ = ["print_release", "release_page"]


def print_release(release: Release, file: IO[str], *, width: int | None = None) -> None:
    """Write the page to ``file``; see :func:`ratingpriv.report.page.print_page`."""
    print_page(release_page(release), file, width=width)


def release_page(release: Release) -> Page:
    """Return the page of a release."""
    made = release.anonymized
    asked = made.parameters
    model = f"k = {asked.k}, epsilon = {number(asked.epsilon)}"
    model += "" if asked.l is None else f", l = {number(asked.l)}"
    return Page(
        headline=f"RELEASED: {printable(release.path)} is ({model})-anonymous.",
        good=True,
        explanation=(
            "The file was read again and audited before it got its name; "
            f"{printable(release.manifest_path.name)} says what is claimed, for anybody to check.",
        ),
        sections=(
            ("What was done", tuple(_done(release))),
            ("What is proved", tuple(_proved(release))),
            ("Before you publish", release.warnings),
            ("What to keep secret", tuple(_secret(release))),
            ("What to do next", tuple(_next(release))),
        ),
    )


def _done(release: Release) -> Iterator[str]:
    made = release.anonymized
    cost, asked = made.distortion, made.parameters
    total = made.table.n_records + cost.records_withheld
    how = f"method {made.method}"
    how += "" if asked.strategy is None else f", strategy {asked.strategy}"
    how += "" if asked.grouping is None else f", grouping {asked.grouping}"
    yield f"{how}: {made.statement}"
    withheld = cost.records_withheld
    yield (
        f"{count(made.table.n_records, 'record')} of {total:,} released; "
        + (f"{withheld:,} withheld ({share(withheld, total)})" if withheld else "none withheld")
    )
    if release.read.options.layout == "long" and not release.read.options.timestamps:
        yield "timestamps, if the input has any, are not released"
    if cost.cells_touched == 0:
        yield "no rating of a released record was changed"
        return
    yield (
        f"{count(cost.changed, 'rating')} changed, {cost.erased:,} erased, {cost.filled:,} filled in where "
        f"there was none, in {count(cost.records_touched, 'record')}: "
        f"{share(cost.cells_touched, max(1, cost.cells))} of {count(cost.cells, 'cell')}"
    )
    average = cost.total / cost.ratings if cost.ratings else 0.0
    yield (
        f"distortion {number(cost.total)}: the sum of all differences between old and new ratings, "
        f"{number(average)} for each rating of the input"
    )


def _proved(release: Release) -> Iterator[str]:
    result = release.audit
    asked = result.parameters
    yield (
        f"by the written file: every record has at least {count(asked.k, 'record')} (itself included) "
        f"within a rating distance of {number(asked.epsilon)}; the largest k that holds is "
        f"{result.k_epsilon.max_k}"
    )
    if result.k_epsilon_l is not None and asked.l is not None:
        largest = ", ".join(
            f"{name}: {'any' if value is None else number(value)}"
            for name, value in result.k_epsilon_l.max_l.items()
        )
        yield (
            "the sensitive ratings of every such neighbourhood have a standard deviation of at least "
            f"{number(asked.l)}; the largest l that holds: {largest}"
        )
    rules = f"nulls {asked.nulls}" + (
        f", sensitive nulls {asked.sensitive_nulls}" if result.dataset.sensitive else ""
    )
    yield f"counted with the rules: {rules}"
    yield EPSILON_NOTE


def _secret(release: Release) -> Iterator[str]:
    if release.key_path is not None:
        yield (
            f"the key {release.key_path}: it says which record became which, and the hash of the input. "
            "Only its owner may read it. Do not publish it, and do not lose it if you must be able to look a "
            "record up"
        )
    if release.ids != "keep":
        yield "the input: beside it, the release gives away which record is whose"


def _next(release: Release) -> Iterator[str]:
    yield f"publish {release.path} and {release.manifest_path} together, unchanged"
    yield f"with 'ratingpriv verify {release.path}' anybody can check them"
    if release.audit.dataset.sensitive and release.anonymized.parameters.l is None:
        yield (
            "ask for --l as well if the sensitive answers must not be given away: without it a neighbourhood "
            "may agree on one"
        )
