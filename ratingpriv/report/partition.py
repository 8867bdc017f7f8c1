"""A partition, and the check of a certificate, as pages: is everybody in a group, and what that proves."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from ratingpriv.base.numbers import in_full, rounded_down
from ratingpriv.base.provenance import tool
from ratingpriv.base.target import Target
from ratingpriv.data.table import QuasiRule
from ratingpriv.data.table.description import TableDescription
from ratingpriv.partition.files.certificate_check import CertificateCheck
from ratingpriv.partition.files.certificate_reading import Rule
from ratingpriv.partition.result import PartitionResult
from ratingpriv.report.page import Command, Page, Section
from ratingpriv.report.plain import count, plural, share
from ratingpriv.report.verdicts import but_no_yes, counted_as_equal
from ratingpriv.report.wording import (
    EPSILON_NOTE,
    about_part,
    as_options,
    audited,
    before_relying,
    model,
    part,
    rule_options,
    rules,
    target_options,
)

__all__ = ["certificate_page", "check_dict", "partition_page"]


def partition_page(result: PartitionResult, *, data: str = "DATA") -> Page:
    """Return the page of a partition; ``data`` as for :func:`ratingpriv.report.audit.audit_page`."""
    dataset, target = result.dataset, result.parameters
    no = "IMPOSSIBLE, proved" if result.proved_impossible else "NOT FOUND"
    state = result.standing.headline("FOUND", no)
    quasi = f", quasi-identifiers {_rules_of(dataset.columns.quasi)}" if dataset.columns.quasi else ""
    described = f"{audited(dataset)}; {rules(target, dataset.sensitive)}; method {result.method}"
    return Page(
        headline=f"{state}: a partition of {dataset.name}{part(dataset)} ({model(target)}{quasi}).",
        explanation=(
            *but_no_yes(result.standing),
            *counted_as_equal(result.equal, dataset.records, target.k, target.epsilon),
            *(() if (said := about_part(dataset)) is None else (said,)),
        ),
        sections=(
            before_relying(result.warnings),
            Section("What was found", tuple(_found(result))),
            Section("What it proves", tuple(_proof(result))),
            Section("What to do next", tuple(_next_steps(result, data))),
            Section("What was searched", (described, EPSILON_NOTE)),
        ),
        good=result.standing.good,
    )


def certificate_page(found: CertificateCheck, dataset: TableDescription) -> Page:
    """Return the page of what the check of a certificate found in these data."""
    return Page(
        _certificate_headline(found, f"{dataset.name}{part(dataset)}"),
        explanation=(
            *but_no_yes(found.standing),
            *counted_as_equal(found.equal, found.records, found.asked.k, found.asked.epsilon),
            *(() if (said := about_part(dataset)) is None else (said,)),
        ),
        sections=(
            before_relying([caution.message for caution in found.cautions]),
            Section("What was found", tuple(_certificate_found(found))),
            Section("What was compared", tuple(_compared(found))),
        ),
        good=found.standing.good,
    )


def _certificate_headline(found: CertificateCheck, name: str) -> str:
    """Return the answer in a line, with the claim: an answer is quoted without the page below it."""
    asked = found.claim if found.demand is None else found.demand
    claim = f"{_claimed(found.claim, found)}; {count(found.records, 'record')}, {_grouped(found)}"
    if not found.holds:
        return f"INVALID: the certificate does not hold for {name} ({claim})."
    if found.meets_demand is False:
        return f"NOT WHAT IS DEMANDED: {name} is not shown to have {_claimed(asked, found)} ({claim})."
    if not found.everybody:
        return f"NOT FOR EVERYBODY: the groups hold, but {name} has records in none ({claim})."
    demanded = "" if found.demand is None else f", and gives the {_claimed(asked, found)} that is demanded"
    state = found.standing.headline("VALID", "")
    return f"{state}: the certificate holds for {name}{demanded} ({claim})."


def _claimed(claim: Target, found: CertificateCheck) -> str:
    """Return what is claimed or demanded, as ``k = 5, epsilon = 1, missing ratings strict``."""
    quasi = f", quasi-identifiers {_rules_of(found.quasi)}" if found.quasi else ""
    return f"{model(claim)}, {rules(claim, () if claim.l is None else found.sensitive)}{quasi}"


def _rules_of(quasi: Iterable[Rule | QuasiRule]) -> str:
    """Return ``age (within 5), region (equal)``."""
    return ", ".join(f"{rule.name} ({rule})" for rule in quasi)


def _grouped(found: CertificateCheck) -> str:
    left = "none withheld" if not found.withheld else f"{found.withheld:,} withheld"
    return f"{count(found.groups, 'group')}, {left}"


def _certificate_found(found: CertificateCheck) -> Iterator[str]:
    if found.problems:
        yield from map(as_options, found.problems)
    elif found.everybody:
        yield f"Everybody is in one of {count(found.groups, 'group')} that are what they claim to be."
    else:
        yield f"{count(found.groups, 'group')} {plural(found.groups, 'holds', 'hold')}."
    if found.withheld:
        yield (
            f"{count(found.withheld, 'record')} {plural(found.withheld, 'is', 'are')} in no group: nothing "
            "is said of them. Without them, the rest is what the certificate says."
        )


def _compared(found: CertificateCheck) -> Iterator[str]:
    yield "Counted in the data as they were read now, with the options given now."
    if found.quasi:
        yield f"The rules of the quasi-identifiers, whatever epsilon is: {_rules_of(found.quasi)}."
    if found.sensitive:
        yield f"The standard deviations of {', '.join(found.sensitive)}; of no other question."
    if found.hash_compared:
        yield "The data's SHA-256 with the one in the certificate."
    else:
        yield "Not the data's SHA-256: there is none to compare. These may be other data of the same form."


def check_dict(found: CertificateCheck, dataset: TableDescription) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.certificate-check/1``."""
    return {
        "schema": "ratingpriv.certificate-check/1",
        "tool": tool(),
        "selection": dataset.selection_dict(),
        "right": found.right,
        "holds": found.holds,
        "everybody": found.everybody,
        "claimed": dataclasses.asdict(found.claim),
        "demanded": None if found.demand is None else dataclasses.asdict(found.demand),
        "meets_demand": found.meets_demand,
        "quasi": [rule.to_dict() for rule in found.quasi],
        "sensitive": list(found.sensitive),
        "records": found.records,
        "groups": found.groups,
        "withheld": found.withheld,
        "withheld_records": list(found.withheld_records),
        "hash_compared": found.hash_compared,
        "equal": None if found.equal is None else found.equal.to_dict(),
        "cautions": [caution.to_dict() for caution in found.cautions],
        "accepted": list(found.standing.accepted),
        "problems": list(found.problems),
    }


def _found(result: PartitionResult) -> Iterator[str]:
    target, total = result.parameters, result.dataset.records
    if not result.n_groups:
        yield f"There is no group of {target.k} or more records that are pairwise indistinguishable."
        return
    yield (
        f"{count(result.n_groups, 'group')} of {result.min_size:,} to {result.max_size:,} records. In each, "
        f"any two records differ by at most {in_full(target.epsilon)} on every question."
    )
    if result.dataset.columns.quasi:
        yield f"They meet the rules of the quasi-identifiers, too: {_rules_of(result.dataset.columns.quasi)}."
    for name, least in result.min_sd.items():
        known = "no rating is known in any group" if least is None else f"at least {rounded_down(least, 4)}"
        yield f"Standard deviation of {name} in a group: {known}."
    if result.withheld:
        yield (
            f"{count(result.withheld, 'record')} ({share(result.withheld, total)} of {total:,}) "
            f"{plural(result.withheld, 'is', 'are')} in no group."
        )


def _proof(result: PartitionResult) -> Iterator[str]:
    target = result.parameters
    if result.found:
        yield (
            f"The data are (k = {target.k}, epsilon = {in_full(target.epsilon)})-anonymous"
            f"{', quasi-identifiers counted in' if result.dataset.columns.quasi else ''}: everybody is "
            "indistinguishable from the whole of their group (Corollary 1 of the papers)."
        )
        if target.l is not None:
            yield (
                "For l it vouches for the groups. A neighbourhood can hold more than one group and can be "
                "more uniform: ratingpriv audit --l says what holds there."
            )
        return
    if result.proved_impossible:
        yield f"There is no such partition: {as_options(result.reason or 'shown by a complete search')}."
    else:
        yield "That none was found proves nothing: a better search might find one."
    yield "It is no verdict on the data: they may be anonymous by neighbourhoods all the same."


def _next_steps(result: PartitionResult, data: str) -> Iterator[str | Command]:
    target = result.parameters
    if result.found:
        yield "A certificate (--certificate FILE) lets anybody with the data check the groups (--check FILE)."
        return
    yield "Have the verdict on the data, by neighbourhoods:"
    yield Command(f"ratingpriv audit {data} {target_options(target)}")
    yield "See which k and epsilon are within reach:"
    l = "" if target.l is None else f" --l {in_full(target.l)}"  # noqa: E741
    yield Command(f"ratingpriv frontier {data} --k {target.k}{l}{rule_options(target)}")
