"""An audit as a page that can be read aloud: the verdict, who is at risk, what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ratingpriv.audit.result import AuditResult
from ratingpriv.report.exposure import exposed
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import count, exact, number, plural, share
from ratingpriv.report.wording import (
    EPSILON_NOTE,
    audited,
    before_relying,
    largest_l,
    model,
    rule_options,
    rules,
    target_options,
)

__all__ = ["audit_page"]


def audit_page(result: AuditResult, *, data: str = "DATA", show: int = 20) -> Page:
    """Return the page of an audit.

    Parameters
    ----------
    data : the DATA argument with its data options, quoted for a shell: the next commands are about it
    show : cuts the list of records that break the verdict
    """
    negation = "" if result.satisfied else "not "
    return Page(
        headline=(
            f"{'' if result.satisfied else 'NOT '}SATISFIED: {result.dataset.name} is "
            f"{negation}({model(result.parameters)})-anonymous."
        ),
        explanation=tuple(_verdict(result)),
        sections=(
            before_relying(result.warnings),
            Section("Who is at risk", (*_risk(result), *_violators(result, show))),
            exposed(result.exposure),
            Section("What to do next", tuple(_next_steps(result, data))),
            Section("What was audited", (*_audited(result), EPSILON_NOTE)),
        ),
        good=result.satisfied,
    )


def _verdict(result: AuditResult) -> Iterator[str]:
    target, total = result.parameters, result.dataset.records
    verdict, epsilon = result.k_epsilon, number(target.epsilon)
    if verdict.satisfied:
        yield (
            f"Size: met. Every record has at least {count(target.k, 'record')} within a rating distance of "
            f"{epsilon} (itself included). The largest k that holds is {verdict.max_k}."
        )
    else:
        impossible = ""
        if target.k > total:
            impossible = f" k = {target.k} is more than the {count(total, 'record')} there are."
        yield (
            f"Size: not met. {count(verdict.violators, 'record')} of {total:,} "
            f"({share(verdict.violators, total)}) {plural(verdict.violators, 'has', 'have')} fewer than "
            f"{count(target.k, 'record')} ({plural(verdict.violators, 'itself', 'themselves')} included) "
            f"within a rating distance of {epsilon}.{impossible} The largest k that holds is {verdict.max_k}."
        )
    diversity = result.k_epsilon_l
    if diversity is not None and target.l is not None:
        met = not _too_uniform(result)
        yield (
            f"Diversity: {'met' if met else 'not met'}. The sensitive ratings of every neighbourhood "
            f"{'have' if met else 'should have, but do not all have,'} a standard deviation of at least "
            f"{number(target.l)}. The largest l that holds: {largest_l(diversity.max_l)}."
        )


def _too_uniform(result: AuditResult) -> list[str]:
    """Return the sensitive issues for which l does not hold."""
    verdict, l = result.k_epsilon_l, result.parameters.l  # noqa: E741
    if verdict is None or l is None:
        return []
    return [name for name, largest in verdict.max_l.items() if largest is not None and largest < l]


def _risk(result: AuditResult) -> Iterator[str]:
    total, epsilon = result.dataset.records, number(result.parameters.epsilon)
    unique = int(np.count_nonzero(result.sizes == 1))
    if unique:
        yield (
            f"{count(unique, 'record')} {plural(unique, 'is', 'are')} unique ({share(unique, total)} of "
            f"{total:,}): whoever knows their ratings to within {epsilon} re-identifies "
            f"{plural(unique, 'it', 'them')} with certainty."
        )
    else:
        yield f"Nobody is unique: knowing someone's ratings to within {epsilon} leaves several records."
    yield (
        f"The most exposed record is re-identified with a chance of 1 in "
        f"{result.neighbourhood_sizes.min:,}; on average over all records the chance is "
        f"{100 * result.risk.marketer:.3g} %."
    )
    for name in result.dataset.sensitive:
        uniform = int(np.count_nonzero((result.sd(name) == 0) & (result.sizes > 1)))
        if uniform:
            yield (
                f"{count(uniform, 'record')} ({share(uniform, total)}) {plural(uniform, 'has', 'have')} a "
                f"neighbourhood of several records that agree on {name}: there the answer is disclosed "
                "without re-identifying anybody."
            )


def _violators(result: AuditResult, show: int) -> Iterator[str | Table]:
    if result.n_violators == 0 or show == 0:
        return
    worst = result.violators(show)
    shown = "" if len(worst) == result.n_violators else f" ({len(worst):,} of {result.n_violators:,} shown)"
    yield f"The records that break the verdict, worst first{shown}:"
    sensitive = result.dataset.sensitive
    yield Table(
        ("record", "size", *(f"SD of {name}" for name in sensitive)),
        tuple(
            (
                str(violator.record),
                f"{violator.size:,}",
                *("unknown" if sd is None else f"{sd:.4g}" for sd in violator.sd.values()),
            )
            for violator in worst
        ),
        (False, True, *(True for _ in sensitive)),
    )


def _next_steps(result: AuditResult, data: str) -> Iterator[str | Command]:
    target = result.parameters
    if result.satisfied:
        yield (
            "Keep this result beside the release (--output FILE). The verdict holds for exactly these data, "
            "questions and parameters: audit again after any change."
        )
        yield (
            "Consider whether epsilon is small enough: it says how far off an adversary's knowledge of a "
            "rating is. Whoever knows the ratings better than that can tell more records apart."
        )
        return
    possible = target.k <= result.dataset.records
    yield "Do not release the data as they are."
    if not result.k_epsilon.satisfied and result.k_epsilon.max_k > 1:
        yield f"See whether k = {result.k_epsilon.max_k} is enough for you: it holds already."
    if possible:
        yield f"Find the smallest epsilon for k = {target.k}" + (
            ":" if target.l is None else f", and every epsilon for l = {number(target.l)}:"
        )
        l = "" if target.l is None else f" --l {exact(target.l)}"  # noqa: E741
        yield Command(f"ratingpriv frontier {data} --k {target.k}{l}{rule_options(target)}")
        yield "Make a release that meets the target, changing as little as possible:"
        yield Command(
            f"ratingpriv anonymize {data} {target_options(target)} --method modify "
            f"-o {shlex.quote(_release_of(result.dataset.name))}"
        )
    else:
        yield "See which k and epsilon are within reach:"
        yield Command(f"ratingpriv frontier {data}{rule_options(target)}")
    if not result.k_epsilon.satisfied:
        yield (
            "Release fewer questions (--issues NAMES or top:N, --drop NAME): each one left out can only make "
            "neighbourhoods larger. Coarser ratings (five levels instead of ten) mostly do so too; audit "
            "again to see."
        )
        yield (
            "Look at the records at risk (--per-record FILE lists all of them). If you suppress them, audit "
            "again: every record that goes makes the neighbourhoods of its neighbours smaller."
        )
    if uniform := _too_uniform(result):
        yield (
            f"Lower l, or keep {', '.join(uniform)} out of the release: too many neighbourhoods agree on it."
        )


def _release_of(name: str) -> str:
    """Return a file name for a release of the data called ``name``: survey.csv.gz, survey.release.csv.gz."""
    if name == "<stdin>":
        return "release.csv"
    stem, dot, suffix = Path(name).name.partition(".")
    return f"{stem}.release{dot}{suffix}" if stem else f"{suffix}.release"


def _audited(result: AuditResult) -> Iterator[str]:
    dataset, sizes = result.dataset, result.neighbourhood_sizes
    scale = ""
    if dataset.scale is not None:
        how = "declared" if dataset.scale.declared else "the range of the data"
        scale = f" on the scale {number(dataset.scale.minimum)} to {number(dataset.scale.maximum)} ({how})"
    yield (
        f"{audited(dataset)}{scale}; sensitive: {', '.join(dataset.sensitive) or 'none'}; "
        f"{rules(result.parameters, dataset.sensitive)}; engine {result.parameters.engine}. Neighbourhoods "
        f"have {sizes.min:,} to {sizes.max:,} records, median {sizes.median:,g}; "
        f"{count(sizes.pairs, 'pair')} of records {plural(sizes.pairs, 'is', 'are')} indistinguishable; "
        f"{count(dataset.hamming_groups, 'group')} by which questions are answered."
    )
