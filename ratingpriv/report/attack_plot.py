"""An attack as a figure: a sweep, or what another threshold would have given, and how alone records are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.attack.evaluation.measures import Tradeoff
from ratingpriv.attack.evaluation.sweeps import Sweep
from ratingpriv.attack.findings import Findings
from ratingpriv.attack.sparsity.sparsity import Sparsity
from ratingpriv.errors import ParameterError
from ratingpriv.report.figures import new_figure, write_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_sparsity", "draw_sweep", "draw_tradeoff", "write_attack_plot"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_NAMES = {
    "known": "known ratings",
    "wrong": "wrong ratings among them",
    "rating_error": "error of known ratings",
    "date_error": "error of known dates, days",
    "items": "issues known",
}


def write_attack_plot(findings: Findings, path: str | Path, *, force: bool = False) -> None:
    """Write the figure to ``path``, .svg or .png: a panel for each thing found.

    The first is the sweep where there is one, else precision and recall over the eccentricity threshold (of
    the release where there is one, too).

    Raises
    ------
    ParameterError
        There is nothing to draw: no sweep, no sparsity, and an algorithm without eccentricity.
    OutputError, ResourceError
        As :func:`ratingpriv.report.figures.write_figure`.
    """
    attacks = [("", findings.attack)]
    if findings.paired is not None:
        attacks = [("data: ", findings.attack), ("release: ", findings.paired.after)]
    curves = [(name, one.measures.tradeoff) for name, one in attacks if one.measures.tradeoff is not None]
    first = findings.sweep is not None or findings.attack.attacked.algorithm != "scoreboard"
    panels = int(first) + int(findings.sparsity is not None)
    if panels == 0:
        raise ParameterError(
            "plot", str(path), "an algorithm with eccentricities, or a sweep or sparsity to draw"
        )
    figure = new_figure(7.0 * panels, 4.2)
    axes = iter(figure.subplots(1, panels, squeeze=False)[0])
    if findings.sweep is not None:
        draw_sweep(next(axes), findings.sweep)
    elif first:
        draw_tradeoff(next(axes), curves)
    if findings.sparsity is not None:
        draw_sparsity(next(axes), findings.sparsity)
    write_figure(figure, path, force=force)


def draw_sweep(axes: Axes, sweep: Sweep, along: str | None = None) -> None:
    """Draw success with its interval over one varied name (default: the first), a curve for the others."""
    along = along or (sweep.varied[0] if sweep.varied else "known")
    for number, (others, points) in enumerate(sweep.series(along)):
        shares = [point.measures.success for point in points]
        seen = [(at, share) for at, share in enumerate(shares) if share.rate is not None]
        places = [at for at, _ in seen]
        rates = [100 * (share.rate or 0.0) for _, share in seen]
        below = [rate - 100 * share.low for rate, (_, share) in zip(rates, seen, strict=True)]
        above = [100 * share.high - rate for rate, (_, share) in zip(rates, seen, strict=True)]
        label = ", ".join(_label(name, value) for name, value in others.items())
        axes.errorbar(
            places, rates, yerr=[below, above], marker="o", capsize=3, label=label or None,
            color=_COLOURS[number % len(_COLOURS)], linestyle=("-", "--", ":")[number // len(_COLOURS) % 3],
        )  # fmt: skip
        axes.set_xticks(range(len(points)), [_value(point.setting[along]) for point in points])
    axes.set_xlabel(_NAMES[along])
    axes.set_ylabel("targets identified, %")
    _finish(axes, 100, legend=len(sweep.varied) > 1)


def draw_tradeoff(axes: Axes, curves: list[tuple[str, Tradeoff]]) -> None:
    """Draw precision, recall and false positives over the eccentricity threshold.

    Where there is no curve, because nothing was measured, the figure says so.
    """
    if not curves:
        axes.text(0.5, 0.5, "nothing was measured", ha="center", va="center", transform=axes.transAxes)
    for number, (name, curve) in enumerate(curves):
        colours = _COLOURS[3 * number :] + _COLOURS
        for place, (kind, values) in enumerate(
            (
                ("precision", curve.precision),
                ("recall (identified)", curve.recall),
                ("false positives", curve.false_positive),
            )
        ):
            axes.plot(
                curve.threshold, 100 * values, drawstyle="steps-pre", label=name + kind,
                color=colours[place], linestyle="-" if number == 0 else "--",
            )  # fmt: skip
    axes.set_xlabel("eccentricity threshold φ")
    axes.set_ylabel("%")
    _finish(axes, 100, legend=bool(curves))


def draw_sparsity(axes: Axes, found: Sparsity) -> None:
    """Draw the share of records that have a neighbour at least so similar [NS08, Fig. 1]."""
    points = found.curve([step / 100 for step in range(101)])
    axes.plot([x for x, _ in points], [y for _, y in points], color=_COLOURS[0])
    axes.set_xlabel("similarity to the nearest neighbour")
    axes.set_ylabel("share of records with at least that")
    axes.set_xlim(0, 1)
    _finish(axes, 1, legend=False)


def _finish(axes: Axes, top: float, *, legend: bool) -> None:
    axes.set_ylim(-0.02 * top, 1.02 * top)
    axes.grid(visible=True, alpha=0.3)
    if legend:
        axes.legend(fontsize="small")


def _label(name: str, value: Any) -> str:
    if name == "date_error":
        return "no dates" if value is None else f"dates ±{value:g} days"
    if name == "rating_error":
        return f"ratings ±{value:g}" if value else "exact ratings"
    return f"{_NAMES[name]}: {_value(value)}"


def _value(value: Any) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
