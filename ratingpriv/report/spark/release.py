"""A release made on Spark as a page: what was proved, and what is not there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ratingpriv.cautions import Caution, Standing
from ratingpriv.numbers import in_full
from ratingpriv.report.page import Page, Section
from ratingpriv.report.plain import count, number
from ratingpriv.report.verdicts import but_no_yes
from ratingpriv.report.wording import EPSILON_NOTE, before_relying, every_record, model, most_are_gone
from ratingpriv.target import Target

__all__ = ["spark_release_page"]


def spark_release_page(content: Mapping[str, Any], told: Sequence[Caution], standing: Standing) -> Page:
    """Return the page of a ``ratingpriv.spark-release/1`` that was written; ``told`` are its cautions."""
    target = Target(**content["parameters"])
    return Page(
        headline=(
            f"{standing.headline("RELEASED, WITH THE INPUT'S IDS", '')}: the ratings in "
            f"{content['release']} are ({model(target)})-anonymous."
        ),
        explanation=(
            *but_no_yes(standing),
            "The folder was read again and audited before it had this name. It has no manifest.",
        ),
        sections=(
            Section("What was done", tuple(_done(content))),
            Section("What is proved", tuple(_proved(content, target))),
            before_relying(
                (*content["warnings"], *(caution.message for caution in told)), "Before you publish"
            ),
        ),
        good=None,
    )


def _done(content: Mapping[str, Any]) -> Iterator[str]:
    records, changes = content["records"], content["changes"]
    yield (
        f"{count(records['released'], 'record')} of {records['original']} released, "
        f"{records['withheld']} withheld"
    )
    if changes is not None:
        yield (
            f"{count(changes['changed'], 'rating')} changed, in {count(changes['touched'], 'record')}; "
            f"information loss (L1) {number(changes['distortion'])}"
        )
    yield content["method"]["statement"]
    yield from most_are_gone(content["method"]["name"], records["withheld"], records["released"])


def _proved(content: Mapping[str, Any], target: Target) -> Iterator[str]:
    yield every_record(target.k, target.epsilon)
    yield f"The largest k that holds at this epsilon is {content['verification']['largest_k']}"
    if target.l is not None:
        least = in_full(target.l)
        yield f"In each neighbourhood sensitive ratings have a standard deviation of at least {least}"
    yield EPSILON_NOTE
