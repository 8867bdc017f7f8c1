"""An audit as a page that can be read aloud: the verdict, who is at risk, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from ratingpriv.audit.result import AuditResult
from ratingpriv.base.numbers import in_full, largest_l
from ratingpriv.report.exposure import exposed
from ratingpriv.report.inference import given_away, next_step, verdicts
from ratingpriv.report.known_rule import left_with, releases_by_strict
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count, plural, share
from ratingpriv.report.verdicts import audit_headline, but_no_yes, counted_as_equal, means_and_not
from ratingpriv.report.wording import (
    EPSILON_NOTE,
    about_part,
    alike,
    alone,
    audited,
    before_relying,
    every_record,
    other_columns,
    pick_at_random,
    rule_options,
    rules,
    target_options,
)

__all__ = ["audit_page"]

_NO_PROTECTION = frozenset(("epsilon-covers-range", "epsilon-reaches-null-distance", "k-asks-nothing"))
"""Reservations of a verdict that says nothing at all."""


def audit_page(
    result: AuditResult, *, data: str = "DATA", show: int = 20, sensitive_unsaid: bool = False
) -> Page:
    """Return the page of an audit.

    Parameters
    ----------
    data : the DATA argument with its data options, quoted for a shell: the next commands are about it
    show : cuts the list of records that break the verdict; 0: none is named
    sensitive_unsaid : whether nobody said what is sensitive, nor that nothing is
    """
    unsaid = (
        "Nobody said what is sensitive, nor that nothing is (--sensitive NAME, --no-sensitive): what "
        "neighbourhoods give away was not looked at."
    )
    return Page(
        headline=audit_headline(result),
        explanation=(
            *but_no_yes(result.standing),
            *([unsaid] if sensitive_unsaid and not result.dataset.sensitive else []),
            *left_with(result.parameters),
            *_verdict(result),
            *_about(result),
        ),
        sections=(
            before_relying(result.warnings),
            Section("Who is at risk", (*_risk(result), *_violators(result, show))),
            exposed(result.exposure),
            Section("What to do next", tuple(_next_steps(result, data))),
            Section("What was audited", (*_audited(result), EPSILON_NOTE)),
        ),
        good=result.standing.good,
    )


def _about(result: AuditResult) -> Iterator[str]:
    """Yield what the verdict means, what it does not, and of which part of the data it is."""
    if result.standing.tolerated:
        yield (
            "The tolerance changes the exit code and nothing of the verdict: it protects none of the records "
            "that break it."
        )
    yield from means_and_not(result)
    said = about_part(result.dataset)
    if said is not None:
        yield said


def _verdict(result: AuditResult) -> Iterator[str]:
    target, total = result.parameters, result.dataset.records
    verdict, data = result.k_epsilon, result.dataset
    if verdict.satisfied:
        yield (
            f"Size: met. {every_record(target.k, target.epsilon, data)} The largest k that holds is "
            f"{verdict.max_k}."
        )
    else:
        impossible = ""
        near = alike(data, f"within a rating distance of {in_full(target.epsilon)}")
        if target.k > total:
            impossible = f" k = {target.k} is more than the {count(total, 'record')} there are."
        yield (
            f"Size: not met. {count(verdict.violators, 'record')} of {total:,} "
            f"({share(verdict.violators, total)}) {plural(verdict.violators, 'has', 'have')} fewer than "
            f"{count(target.k, 'record')} ({plural(verdict.violators, 'itself', 'themselves')} included) "
            f"{near}.{impossible} The largest k that holds is {verdict.max_k}."
        )
    yield from counted_as_equal(result.equal, total, target.k, target.epsilon)
    diversity = result.k_epsilon_l
    if diversity is not None and target.l is not None:
        met = not _too_uniform(result)
        of = f" of {', '.join(result.numeric)}" if len(result.numeric) < len(data.sensitive) else ""
        yield (
            f"Diversity: {'met' if met else 'not met'}. The sensitive ratings{of} of every neighbourhood "
            f"{'have' if met else 'should have, but do not all have,'} a standard deviation of at least "
            f"{in_full(target.l)}. The largest l that holds: {largest_l(diversity.max_l)}."
        )
    yield from verdicts(result)


def _too_uniform(result: AuditResult) -> list[str]:
    """Return the sensitive issues for which l does not hold."""
    verdict, l = result.k_epsilon_l, result.parameters.l  # noqa: E741
    if verdict is None or l is None:
        return []
    return [name for name, largest in verdict.max_l.items() if largest is not None and largest < l]


def _risk(result: AuditResult) -> Iterator[str]:
    epsilon = result.parameters.epsilon
    sizes = result.neighbourhood_sizes
    lonely = sizes.histogram[0][1] if sizes.min == 1 else 0
    data = result.dataset
    yield alone(lonely, epsilon, data) if lonely else "Nobody is alone in their neighbourhood."
    yield pick_at_random(sizes.min, result.risk.marketer, epsilon, data)
    yield from given_away(result)


def _violators(result: AuditResult, show: int) -> Iterator[str | Table]:
    if result.n_violators == 0:
        return
    if show == 0:
        yield "The records that break the verdict are not listed, as ids identify: --show 20 lists so many"
        return
    worst = result.violators(show)
    shown = "" if len(worst) == result.n_violators else f" ({len(worst):,} of {result.n_violators:,} shown)"
    yield f"The records that break the verdict, worst first{shown}:"
    sensitive = result.dataset.sensitive
    shown_of = [("SD of", [violator.sd for violator in worst])] if result.numeric else []
    if result.parameters.demands:
        shown_of += [
            ("largest share of", [violator.share for violator in worst]),
            ("values of", [violator.distinct for violator in worst]),
        ]
    columns = [
        (f"{what} {name}", cells, name)
        for name in sensitive
        for what, cells in shown_of
        if what != "SD of" or name in result.numeric
    ]
    yield Table(
        ("record", "size", *(title for title, _, _ in columns)),
        tuple(
            (
                str(violator.record),
                f"{violator.size:,}",
                *(_cell((cells[place] or {})[name]) for _, cells, name in columns),
            )
            for place, violator in enumerate(worst)
        ),
        (False, True, *(True for _ in columns)),
    )


def _cell(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.4g}"


def _next_steps(result: AuditResult, data: str) -> Iterator[str | Command]:
    target = result.parameters
    if result.satisfied and _NO_PROTECTION.intersection(result.standing.reserved):
        yield "Do not rely on this verdict. Find the smallest epsilon that protects, for a k above 1:"
        yield Command(f"ratingpriv frontier {data} --k {max(target.k, 2)}{rule_options(target)}")
        return
    if result.satisfied and result.standing.wildcard:
        yield (
            "Audit again with --nulls known or --nulls strict: this verdict says nothing of an adversary who "
            "knows that a question was answered."
        )
    if result.satisfied:
        yield (
            "Keep this result beside the release (--output FILE). The verdict holds for exactly these data, "
            "questions and parameters: audit again after any change."
        )
        yield "Attack the data before you rely on it:"
        yield Command(f"ratingpriv attack {data}")
        return
    yield from releases_by_strict(target)
    unreachable = any(caution.code == "unreachable-l" for caution in result.cautions)
    possible = target.k <= result.dataset.records and not unreachable
    if result.standing.tolerated:
        yield (
            f"Suppress or change the {count(result.n_violators, 'record')} before you release the data: your "
            "tolerance lets a pipeline go on, and protects nobody."
        )
    else:
        yield "Do not release the data as they are."
    if any(caution.code == "sparse-data" for caution in result.cautions):
        yield "See how easily people are found in data as sparse as these:"
        yield Command(f"ratingpriv attack {data}")
    if not result.k_epsilon.satisfied and result.k_epsilon.max_k > 1:
        yield f"See whether k = {result.k_epsilon.max_k} is enough for you: it holds already."
    if not result.k_epsilon.satisfied or _too_uniform(result):
        yield from _ways_to_the_target(result, data, possible)
    if not result.k_epsilon.satisfied and result.dataset.columns.quasi:
        yield (
            "Recode quasi-identifiers coarser (wider bands, fewer categories) and audit again, or leave one "
            "out of the release, which can only make neighbourhoods larger."
        )
    if not result.k_epsilon.satisfied and result.dataset.issues:
        yield (
            "Release fewer questions (--items NAMES or top:N, --drop NAME): each one left out can only make "
            "neighbourhoods larger. Coarser ratings (five levels instead of ten) mostly do so too; audit "
            "again to see."
        )
    if not result.k_epsilon.satisfied:
        yield (
            "Look at the records at risk (--per-record FILE lists all of them). If you suppress them, audit "
            "again: every record that goes makes the neighbourhoods of its neighbours smaller."
        )
    yield from next_step(result)
    if uniform := _too_uniform(result):
        yield (
            f"Lower l, or keep {', '.join(uniform)} out of the release: too many neighbourhoods agree on it."
        )


def _ways_to_the_target(result: AuditResult, data: str, possible: bool) -> Iterator[str | Command]:
    target = result.parameters
    if not result.dataset.issues:
        return  # no epsilon does what this one does not
    if possible:
        yield f"Find the smallest epsilon for k = {target.k}" + (
            ":" if target.l is None else f", and every epsilon for l = {in_full(target.l)}:"
        )
        l = "" if target.l is None else f" --l {in_full(target.l)}"  # noqa: E741
        yield Command(f"ratingpriv frontier {data} --k {target.k}{l}{rule_options(target)}")
        yield "Make a release that meets the target, by changing ratings:"
        yield Command(
            f"ratingpriv anonymize {data} {target_options(target)} --method modify "
            f"-o {shlex.quote(_release_of(result.dataset.name))}"
        )
    else:
        yield "See which k and epsilon are within reach:"
        yield Command(f"ratingpriv frontier {data}{rule_options(target)}")


def _release_of(name: str) -> str:
    """Return a file name for a release of the data called ``name``: survey.csv.gz, survey.release.csv.gz."""
    if name == "<stdin>":
        return "release.csv"
    stem, dot, suffix = Path(name).name.partition(".")
    return f"{stem}.release{dot}{suffix}" if stem else f"{suffix}.release"


def _pairs(pairs: int | None) -> str:
    """Return how many pairs are indistinguishable, where there are pairs: under ``known`` there are none."""
    if pairs is None:
        return ""
    return f"{count(pairs, 'pair')} of records {plural(pairs, 'is', 'are')} indistinguishable; "


def _audited(result: AuditResult) -> Iterator[str]:
    dataset, sizes = result.dataset, result.neighbourhood_sizes
    scale = ""
    if dataset.scale is not None:
        how = "declared" if dataset.scale.declared else "the range of the data"
        scale = f" on the scale {in_full(dataset.scale.minimum)} to {in_full(dataset.scale.maximum)} ({how})"
    sensitive = ", ".join(
        name
        if name in result.numeric
        else f"{name} (nominal: {'words' if name in dataset.nominal else 'codes'}, no numbers)"
        for name in dataset.sensitive
    )
    if any(caution.code == "sensitive-not-audited" for caution in result.cautions):
        sensitive = "not audited"
    equal = [column.name for column in dataset.columns.quasi if column.within is None]
    groups = f"which questions are answered{f' and by {", ".join(equal)}' if equal else ''}"
    yield (
        f"{audited(dataset)}{scale}{other_columns(dataset)}; sensitive: {sensitive or 'none'}; "
        f"{rules(result.parameters, dataset.sensitive)}; engine {result.parameters.engine}. Neighbourhoods "
        f"have {sizes.min:,} to {sizes.max:,} records, median {sizes.median:,g}; "
        f"{_pairs(sizes.pairs)}"
        f"{count(dataset.hamming_groups, 'group')} by {groups}."
    )
