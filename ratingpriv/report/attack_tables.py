"""The tables of an attack: target by target, a sweep, the nearest-neighbour curve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ratingpriv.attack.evaluation.experiments import Experiment
from ratingpriv.attack.evaluation.sweeps import Sweep
from ratingpriv.attack.intervals import Share
from ratingpriv.attack.sparsity.sparsity import Sparsity
from ratingpriv.attack.sparsity.theorem import FalseMatches
from ratingpriv.report.plain import count, number, printable
from ratingpriv.report.rows import aligned

__all__ = [
    "markdown",
    "sparsity_lines",
    "sweep_lines",
    "sweep_markdown",
    "sweep_rows",
    "target_lines",
    "theorem_lines",
]

_BEST = 3
"""So many candidates are shown for a target; JSON has all that were kept."""

_TITLES = {
    "known": "known",
    "wrong": "wrong",
    "rating_error": "rating ±",
    "date_error": "days ±",
    "items": "issues",
}


def target_lines(attack: Experiment, show: int) -> list[str]:
    """Return a line a target: the verdict, how sure, and the best candidates with their probabilities."""
    header = ["target", "verdict", "right?", "eccentricity", "bits", "best candidates"]
    rows = attack.per_target(show)
    lines = [
        [
            printable(row["target"]),
            "no match" if row["match"] is None else f"is {printable(row['match'])}",
            {True: "yes", False: "no", None: "not known"}[row["correct"]],
            _figure(row["eccentricity"]),
            _figure(row["entropy_bits"]),
            ", ".join(
                f"{printable(one['record'])} ({one['probability']:.2g})" for one in row["candidates"][:_BEST]
            )
            or "none scores",
        ]
        for row in rows
    ]
    text = [
        f"  {line}" for line in aligned(header, lines, [False, False, False, True, True, False]).split("\n")
    ]
    total = len(attack.names)
    if len(rows) < total:
        text.append(f"  {len(rows):,} of {count(total, 'target')} shown; --show N or --json give more")
    return text


def sweep_rows(sweep: Sweep) -> tuple[list[str], list[list[str]]]:
    """Return a header and rows: what varied, success with interval, false positives, ⊥, bits, skipped."""
    header = [_TITLES[name] for name in sweep.varied]
    header += [
        "identified",
        "interval",
        "false positives",
        "no match",
        "bits lacking",
        "targets",
        "not attacked",
    ]
    rows = []
    for point in sweep.points:
        measures = point.measures
        bits = measures.entropy_bits.median
        rows.append(
            [
                *(_value(point.setting[name]) for name in sweep.varied),
                _rate(measures.success),
                f"{100 * measures.success.low:.1f}-{100 * measures.success.high:.1f}",
                _rate(measures.false_positive),
                _rate(measures.no_match),
                "" if bits is None else f"{bits:.2f}",
                f"{measures.targets:,}",
                f"{point.could_not_attack:,}",
            ]
        )
    return header, rows


def sweep_lines(sweep: Sweep) -> list[str]:
    """Return the sweep as aligned text, shares in percent."""
    header, rows = sweep_rows(sweep)
    return [f"  {line}" for line in aligned(header, rows, [True] * len(header)).split("\n")]


def sweep_markdown(sweep: Sweep) -> str:
    """Return the sweep as a Markdown table, shares in percent."""
    header, rows = sweep_rows(sweep)
    return markdown(header, rows)


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def sparsity_lines(found: Sparsity) -> list[str]:
    """Return the curve of [NS08, Fig. 1]: who has a neighbour at least so similar."""
    rows = [
        [number(x), f"{100 * share:.1f}"] for x, share in found.curve([step / 10 for step in range(1, 11)])
    ]
    about = f"of {count(len(found.similarity), 'record')}" + (
        f" drawn from {found.rated:,}, each compared with all" if found.sampled else ""
    )
    return [
        f"  Share {about} whose most similar other record is at least so similar:",
        *(f"  {line}" for line in aligned(["similarity", "records %"], rows, [True, True]).split("\n")),
    ]


def theorem_lines(found: Sequence[FalseMatches]) -> list[str]:
    """Return how often there is a false match, beside the most that [NS08, Theorem 1] allows."""
    header = ["known", "false match %", "at most %", "targets"]
    rows = [
        [f"{one.known}", _rate(one.measured), f"{100 * one.bound:.3g}", f"{one.measured.of:,}"]
        for one in found
    ]
    return [
        "  Targets for whom some record agrees on all that is known, and on less than",
        f"  {100 * (1 - found[0].delta):g} % of the target's ratings; and the most that Theorem 1 allows:",
        *(f"  {line}" for line in aligned(header, rows, [True] * 4).split("\n")),
    ]


def _rate(share: Share) -> str:
    return "" if share.rate is None else f"{100 * share.rate:.1f}"


def _value(value: Any) -> str:
    return "none" if value is None else number(value) if isinstance(value, float) else str(value)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
