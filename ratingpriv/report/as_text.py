"""An audit as a page that can be read aloud: the verdict, who is at risk, what to do next."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO

import numpy as np
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ratingpriv.audit.result import AuditResult
from ratingpriv.report.page import print_headline, print_on, print_section
from ratingpriv.report.plain import count, number, printable, share

__all__ = [
    "EPSILON_NOTE",
    "audit_text",
    "print_audit",
]

EPSILON_NOTE = (
    "Epsilon is a distance between ratings here: two ratings that differ by no more count as alike. It is "
    "not the epsilon of differential privacy, and this audit promises nothing of that kind."
)


def print_audit(result: AuditResult, file: IO[str], *, show: int = 20, width: int | None = None) -> None:
    """Write the page to ``file``; coloured if that is a terminal, plain text if not.

    ``show`` cuts the list of violators; ``width`` is the line length (None: the terminal's, 80 in a file).
    """
    print_on(file, lambda console: _print(console, result, show), width=width)


def audit_text(result: AuditResult, *, show: int = 20, width: int = 80) -> str:
    """Return the page as plain text."""
    file = io.StringIO()
    print_audit(result, file, show=show, width=width)
    return file.getvalue()


def _print(console: Console, result: AuditResult, show: int) -> None:
    verdict, *explanation = _verdict(result)
    print_headline(console, verdict, explanation, good=result.satisfied)
    if result.warnings:
        print_section(console, "Before you rely on this", (_sentence(warning) for warning in result.warnings))
    print_section(console, "Who is at risk", _risk(result))
    _violators(console, result, show)
    print_section(console, "What to do next", _next_steps(result))
    print_section(console, "What was audited", [_audited(result), EPSILON_NOTE])


def _verdict(result: AuditResult) -> Iterator[str]:
    """Yield the headline, then what it means."""
    asked, total = result.parameters, result.dataset.records
    model = f"k = {asked.k}, epsilon = {number(asked.epsilon)}"
    if asked.l is not None:
        model += f", l = {number(asked.l)}"
    name, epsilon = printable(result.dataset.name), number(asked.epsilon)
    if result.satisfied:
        yield f"SATISFIED: {name} is ({model})-anonymous."
    else:
        yield f"NOT SATISFIED: {name} is not ({model})-anonymous."
    verdict = result.k_epsilon
    if verdict.satisfied:
        yield (
            f"Size: met. Within a rating distance of {epsilon}, every record has at least {asked.k} records "
            f"like it (itself included). The largest k that holds is {verdict.max_k}."
        )
    else:
        impossible = (
            f" k = {asked.k} is more than the {count(total, 'record')} there are." if asked.k > total else ""
        )
        short = "has" if verdict.violators == 1 else "have"
        itself = "itself" if verdict.violators == 1 else "themselves"
        yield (
            f"Size: not met. {count(verdict.violators, 'record')} of {total:,} "
            f"({share(verdict.violators, total)}) {short} fewer than {asked.k} records ({itself} included) "
            f"within a rating distance of {epsilon}.{impossible} The largest k that holds is {verdict.max_k}."
        )
    diversity = result.k_epsilon_l
    if diversity is not None and asked.l is not None:
        holds = {name: np.inf if value is None else value for name, value in diversity.max_l.items()}
        met = all(value >= asked.l for value in holds.values())
        largest = ", ".join(
            f"{printable(name)}: {'any' if np.isinf(value) else number(value)}"
            for name, value in holds.items()
        )
        yield (
            f"Diversity: {'met' if met else 'not met'}. The sensitive ratings of every neighbourhood "
            f"{'have' if met else 'should have, but do not all have,'} a standard deviation of at least "
            f"{number(asked.l)}. The largest l that holds: {largest}."
        )


def _risk(result: AuditResult) -> Iterator[str]:
    total, epsilon = result.dataset.records, number(result.parameters.epsilon)
    alone = int(np.count_nonzero(result.sizes == 1))
    if alone:
        whose, them = ("1 record is", "it") if alone == 1 else (f"{alone:,} records are", "them")
        yield (
            f"{whose} unique ({share(alone, total)} of {total:,}): whoever knows their ratings to within "
            f"{epsilon} recognises {them} with certainty."
        )
    else:
        yield f"Nobody is unique: knowing someone's ratings to within {epsilon} leaves several records."
    exposed = result.neighbourhood_sizes.min
    yield (
        f"The most exposed record is picked out with a chance of 1 in {exposed:,}; on average over all "
        f"records the chance is {_percent(result.risk.marketer)}."
    )
    for name in result.dataset.sensitive:
        uniform = int(np.count_nonzero((result.sd(name) == 0) & (result.sizes > 1)))
        if uniform:
            have = "has" if uniform == 1 else "have"
            yield (
                f"{count(uniform, 'record')} ({share(uniform, total)}) {have} a neighbourhood of several "
                f"records that agree on {printable(name)}: there the answer is given away without "
                "recognising anybody."
            )


def _violators(console: Console, result: AuditResult, show: int) -> None:
    if result.n_violators == 0 or show == 0:
        return
    worst = result.violators(show)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("record", overflow="fold")
    table.add_column("size", justify="right")
    for name in result.dataset.sensitive:
        table.add_column(Text(f"SD of {printable(name)}"), justify="right", overflow="fold")
    for violator in worst:
        deviations = ("unknown" if sd is None else f"{sd:.4g}" for sd in violator.sd.values())
        table.add_row(Text(printable(violator.record)), f"{violator.size:,}", *deviations)
    shown = "" if len(worst) == result.n_violators else f" ({len(worst):,} of {result.n_violators:,} shown)"
    console.print(Padding(Text(f"The records that break the verdict, worst first{shown}:"), (1, 0, 0, 3)))
    console.print(Padding(table, (0, 0, 0, 5)))


def _next_steps(result: AuditResult) -> Iterator[str]:
    asked = result.parameters
    if result.satisfied:
        yield (
            "Keep this result beside the release (--output FILE). The verdict holds for exactly these data, "
            "issues and parameters: audit again after any change."
        )
        yield (
            "Ask whether epsilon is small enough: it says how far off an adversary's knowledge of a rating "
            "is. Who knows the ratings better than that tells more records apart."
        )
        return
    yield "Do not release the data as they are."
    if not result.k_epsilon.satisfied:
        if result.k_epsilon.max_k > 1:
            yield f"See whether k = {result.k_epsilon.max_k} is enough for you: it holds already."
        yield (
            "Release fewer issues (--issues NAMES or top:N, --drop NAME): each one left out can only make "
            "neighbourhoods larger. Coarser ratings (five levels instead of ten) mostly do so too; audit "
            "again to see."
        )
        yield (
            "Look at the records at risk (--per-record FILE lists all of them). If you leave them out, audit "
            "again: every record that goes makes the neighbourhoods of those near it smaller."
        )
    diversity = result.k_epsilon_l
    if diversity is not None and asked.l is not None:
        short = [name for name, value in diversity.max_l.items() if value is not None and value < asked.l]
        if short:
            yield (
                f"Lower l, or keep {', '.join(printable(name) for name in short)} out of the release: too "
                "many neighbourhoods agree on it."
            )


def _audited(result: AuditResult) -> str:
    dataset, asked = result.dataset, result.parameters
    sensitive = ", ".join(printable(name) for name in dataset.sensitive) or "none"
    scale = ""
    if dataset.scale is not None:
        how = "declared" if dataset.scale.declared else "as found in the data"
        scale = f" on the scale {number(dataset.scale.minimum)} to {number(dataset.scale.maximum)} ({how})"
    rules = f"nulls {asked.nulls}" + (
        f", sensitive nulls {asked.sensitive_nulls}" if dataset.sensitive else ""
    )
    return (
        f"{count(dataset.records, 'record')}, {count(dataset.issues, 'issue')}, "
        f"{count(dataset.ratings, 'rating')}{scale}; sensitive: {sensitive}; {rules}; engine {asked.engine}. "
        f"Neighbourhoods have {result.neighbourhood_sizes.min:,} to {result.neighbourhood_sizes.max:,} "
        f"records, {result.neighbourhood_sizes.median:,g} in the middle; "
        f"{count(result.neighbourhood_sizes.pairs, 'pair')} of records are alike; "
        f"{count(dataset.hamming_groups, 'group')} by which issues are rated."
    )


def _percent(risk: float) -> str:
    return f"{100 * risk:.3g} %"


def _sentence(text: str) -> str:
    text = printable(text)
    return text[:1].upper() + text[1:].removesuffix(".") + "."
