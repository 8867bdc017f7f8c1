"""A partition as a page: whether everybody is in a group, what that proves, what to do next."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from ratingpriv.partition.files.certificate_check import CertificateCheck
from ratingpriv.partition.result import PartitionResult
from ratingpriv.report.plain import count, number, printable, share

__all__ = ["check_dict", "check_text", "partition_text"]

_EPSILON_NOTE = (
    "Epsilon is a distance between ratings: two ratings that differ by no more count as alike. It is not the "
    "epsilon of differential privacy."
)


def partition_text(result: PartitionResult, *, width: int = 80) -> str:
    """Return the page as plain text."""
    dataset, asked = result.dataset, result.parameters
    rules = f"nulls {asked.nulls}"
    if dataset.sensitive:
        rules += f", sensitive nulls {asked.sensitive_nulls}"
    looked = (
        f"{count(dataset.records, 'record')}, {count(dataset.issues, 'issue')}, "
        f"{count(dataset.ratings, 'rating')}; {rules}; method {printable(result.method)}."
    )
    lines = [_headline(result), ""]
    for title, sentences in (
        ("What was found", _found(result)),
        ("What it proves", _proof(result)),
        ("What was looked at", iter((looked, _EPSILON_NOTE))),
    ):
        lines.append(title)
        for sentence in sentences:
            lines += textwrap.wrap(sentence, width, initial_indent=" - ", subsequent_indent="   ")
        lines.append("")
    return "\n".join(lines)


def check_text(found: CertificateCheck, name: str, *, width: int = 80) -> str:
    """Return what the check of a certificate found, as plain text; ``name`` is the data's."""
    name = printable(name)
    if found.holds and found.everybody:
        lines = [f"RIGHT: the certificate holds for {name}."]
        sentences = [f"Everybody is in one of {count(found.groups, 'group')} that are what they claim to be."]
    elif found.holds:
        lines = [f"NOT FOR EVERYBODY: the groups hold, but {name} has records in none."]
        sentences = [
            f"{count(found.groups, 'group')} hold. {count(found.withheld, 'record')} in no group: without "
            "them, the rest is what the certificate says."
        ]
    else:
        lines, sentences = [f"WRONG: the certificate does not hold for {name}."], list(found.problems)
    for sentence in sentences:
        lines += textwrap.wrap(printable(sentence), width, initial_indent=" - ", subsequent_indent="   ")
    return "\n".join([*lines, ""])


def check_dict(found: CertificateCheck) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.certificate-check/1``."""
    return {
        "schema": "ratingpriv.certificate-check/1",
        "holds": found.holds,
        "everybody": found.everybody,
        "groups": found.groups,
        "withheld": found.withheld,
        "problems": list(found.problems),
    }


def _headline(result: PartitionResult) -> str:
    asked, name = result.parameters, printable(result.dataset.name)
    model = f"k = {asked.k}, epsilon = {number(asked.epsilon)}"
    if asked.l is not None:
        model += f", l = {number(asked.l)}"
    if result.found:
        return f"FOUND: a partition of {name} ({model})."
    state = "IMPOSSIBLE, proved" if result.proved_impossible else "NOT FOUND"
    return f"{state}: a partition of {name} ({model})."


def _found(result: PartitionResult) -> Iterator[str]:
    asked, total = result.parameters, result.dataset.records
    if not result.n_groups:
        yield f"There is no group of {asked.k} or more records that are all alike."
        return
    yield (
        f"{count(result.n_groups, 'group')} of {result.min_size:,} to {result.max_size:,} records. In each, "
        f"any two records differ by at most {number(asked.epsilon)} on every issue."
    )
    for name, least in result.min_sd.items():
        known = "no rating is known in any group" if least is None else f"at least {least:.4g}"
        yield f"Standard deviation of {printable(name)} in a group: {known}."
    if result.withheld:
        yield (
            f"{count(result.withheld, 'record')} ({share(result.withheld, total)} of {total:,}) "
            f"{'is' if result.withheld == 1 else 'are'} in no group."
        )


def _proof(result: PartitionResult) -> Iterator[str]:
    asked = result.parameters
    if result.found:
        yield (
            f"The data are (k = {asked.k}, epsilon = {number(asked.epsilon)})-anonymous: everybody is "
            "alike with the whole of their group (Corollary 1 of the papers)."
        )
        if asked.l is not None:
            yield (
                "For l it vouches for the groups. A neighbourhood can hold more than one group and can be "
                "more uniform: ratingpriv audit --l says what holds there."
            )
        scale = result.dataset.scale
        if scale is not None and asked.epsilon >= scale.maximum - scale.minimum:
            yield (
                f"It says little: epsilon {number(asked.epsilon)} covers the whole scale, "
                f"{number(scale.minimum)} to {number(scale.maximum)}: any two ratings count as alike."
            )
        yield "--certificate FILE writes the groups as a proof that anybody can check with --check FILE."
        return
    if result.proved_impossible:
        yield f"There is no such partition: {printable(result.reason or 'shown by a complete search')}."
    else:
        yield "That none was found proves nothing: a better search might find one."
    yield (
        "It is no verdict on the data: they may be anonymous by neighbourhoods all the same. ratingpriv "
        "audit decides that; ratingpriv frontier says which k and epsilon are within reach."
    )
