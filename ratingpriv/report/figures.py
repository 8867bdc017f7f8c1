"""Results as figures in SVG, PNG or PDF: whole or not at all, the same bytes for the same result."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.errors import ParameterError
from ratingpriv.files import check_writable, replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from ratingpriv.attack.evaluation.measures import Tradeoff
    from ratingpriv.attack.evaluation.sweeps import Sweep
    from ratingpriv.attack.findings import Findings
    from ratingpriv.attack.sparsity.sparsity import Sparsity
    from ratingpriv.audit.frontier.result import Frontier

__all__ = [
    "check_figure",
    "draw_sparsity",
    "draw_sweep",
    "new_figure",
    "plot_attack",
    "plot_frontier",
    "write_figure",
]

_SUFFIXES = (".png", ".svg")
_UNDATED = {".pdf": {"CreationDate": None}, ".png": {"Software": None}, ".svg": {"Date": None}}
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
_NAMES = {
    "known": "known ratings",
    "wrong": "wrong ratings among them",
    "rating_error": "error of known ratings",
    "date_error": "error of known dates, days",
    "items": "questions known",
}


def check_figure(path: str | Path, *, force: bool = False) -> Path:
    """Refuse early a figure file of another suffix, or one that cannot be written.

    Raises
    ------
    ParameterError, OutputError
        The name does not end in .svg or .png; as :func:`ratingpriv.files.check_writable`.
    """
    if Path(path).suffix.lower() not in _SUFFIXES:
        raise ParameterError("plot", str(path), "a file name ending in .svg or .png")
    return check_writable(path, force=force)


def new_figure(width: float = 7.0, height: float = 4.2) -> Figure:
    """Return an empty figure of that many inches; it is drawn without any window or global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(figure: Figure, path: str | Path, *, force: bool = False) -> None:
    """Write the figure to ``path``, in the format its suffix says: .svg, .png or .pdf."""
    import matplotlib as mpl

    path = Path(path)
    if path.suffix.lower() != ".pdf":
        path = check_figure(path, force=force)
    kind = path.suffix.lower().removeprefix(".")
    metadata = _UNDATED[path.suffix.lower()]
    with (
        mpl.rc_context({"svg.hashsalt": "ratingpriv", "svg.fonttype": "none"}),
        replacing(path, force=force) as temporary,
    ):
        figure.savefig(temporary, format=kind, dpi=150, metadata=metadata)


def plot_frontier(result: Frontier, path: str | Path, *, force: bool = False) -> None:
    """Draw the rows to ``path``, .svg or .png; steps, as what holds at one ε holds up to the next.

    Raises
    ------
    ParameterError, OutputError
        As :func:`check_figure`.
    """
    path = check_figure(path, force=force)
    names = result.dataset.sensitive
    figure = new_figure(7.0, 5.6 if names else 3.4)
    panels = figure.subplots(2 if names else 1, 1, sharex=True, squeeze=False)[:, 0]
    epsilons = [row.epsilon for row in result.rows]
    target = result.parameters
    marker = "o" if len(epsilons) <= 40 else None
    panels[0].step(epsilons, [row.max_k for row in result.rows], where="post", marker=marker, ms=4)
    panels[0].set_ylabel("largest k that holds")
    panels[0].set_yscale("log" if max(row.max_k for row in result.rows) > 50 else "linear")
    if target.k is not None:
        panels[0].axhline(target.k, color="0.4", linestyle="--", linewidth=1, label=f"k = {target.k}")
    if names:
        for name in names:
            largest = [math.nan if row.max_l[name] is None else row.max_l[name] for row in result.rows]
            panels[1].step(epsilons, largest, where="post", marker=marker, ms=4, label=_plain(name))
        if target.l is not None:
            panels[1].axhline(target.l, color="0.4", linestyle="--", linewidth=1, label=f"l = {target.l:g}")
        panels[1].set_ylabel("largest l that holds (SD)")
    for panel in panels:
        for place, one in enumerate(result.feasible or ()):
            end = epsilons[-1] if one.below is None else one.below
            label = None if place else "holds"  # once in the legend
            panel.axvspan(one.start, end, color="C2", alpha=0.12, label=label)
        useless = [row.epsilon for row in result.rows if not row.protection]
        if useless:
            panel.axvspan(useless[0], epsilons[-1], color="0.5", alpha=0.25, label="no protection")
        panel.grid(alpha=0.3)
        if panel.get_legend_handles_labels()[0]:
            panel.legend()
    panels[-1].set_xlabel("epsilon (distance between ratings)")
    panels[0].set_title(_plain(result.dataset.name))
    write_figure(figure, path, force=force)


def _plain(name: str) -> str:
    """Return a name as text that is not taken for mathematics or for a hidden label."""
    return name.replace("$", r"\$").replace("_", " ", 1) if name.startswith("_") else name.replace("$", r"\$")


def plot_attack(findings: Findings, path: str | Path, *, force: bool = False) -> None:
    """Write the figure to ``path``, .svg or .png: a panel for each thing found.

    The first is the sweep where there is one, else precision and recall of Scoreboard-RH over the
    eccentricity threshold (of the release where there is one, too).

    Raises
    ------
    ParameterError
        There is nothing to draw: no sweep, no sparsity, and only an algorithm without eccentricity.
    OutputError, ResourceError
        As :func:`write_figure`.
    """
    place = next(
        (at for at, one in enumerate(findings.attacks) if "rho0" in one.parameters), None
    )  # those that go by Scoreboard-RH's scores share its curve
    curves = []
    if place is not None:
        attacks = [("", findings.attacks[place])]
        if findings.pairs:
            attacks = [("data: ", attacks[0][1]), ("release: ", findings.pairs[place].after)]
        curves = [(name, one.measures.tradeoff) for name, one in attacks if one.measures.tradeoff is not None]
    first = findings.sweep is not None or place is not None
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
        _draw_tradeoff(next(axes), curves)
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
    axes.set_ylabel("targets identified, %" + (" (strongest attack)" if sweep.algorithm is None else ""))
    _finish(axes, 100, legend=len(sweep.varied) > 1)


def _draw_tradeoff(axes: Axes, curves: list[tuple[str, Tradeoff]]) -> None:
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
    axes.set_xlabel("eccentricity threshold φ of Scoreboard-RH")
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
