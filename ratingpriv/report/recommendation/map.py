"""The risk-utility map of a recommendation: what is lost against what is left to an adversary."""

from __future__ import annotations

from pathlib import Path

from ratingpriv.recommend.result import Option, Recommendation
from ratingpriv.report.figures import check_figure, new_figure, write_figure

__all__ = ["plot_recommendation"]

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")


def plot_recommendation(result: Recommendation, path: str | Path, *, force: bool = False) -> None:
    """Draw ratings lost against expected exposure to ``path``, .svg or .png; a panel for each ε.

    Rows on the front are filled, others are hollow; the number beside a mark is the k that was asked for. A
    row without one of the two numbers is not drawn, and the panel says how many these are.

    Raises
    ------
    ParameterError, OutputError
        As :func:`ratingpriv.report.figures.check_figure`.
    """
    path = check_figure(path, force=force)
    epsilons = [front.epsilon for front in result.fronts]
    figure = new_figure(max(3.6 * len(epsilons), 5.0), 4.2)
    methods = list(dict.fromkeys(one.method for one in result.options))
    for panel, epsilon in zip(
        figure.subplots(1, max(len(epsilons), 1), squeeze=False)[0], epsilons, strict=False
    ):
        mine = [one for one in result.options if one.epsilon == epsilon]
        drawn = [(one, point) for one in mine if (point := _point(one)) is not None]
        for place, method in enumerate(methods):
            colour = _COLOURS[place % len(_COLOURS)]
            labels: dict[tuple[float, float], list[str]] = {}
            for one, point in drawn:
                if one.method == method:
                    face = colour if one.front else "none"
                    panel.scatter(*point, s=42, edgecolors=colour, facecolors=face)
                    labels.setdefault(point, []).append(str(one.k))
            for point, found in labels.items():
                shown = ", ".join(found)
                panel.annotate(shown, point, xytext=(5, 4), textcoords="offset points", fontsize=8)
            panel.scatter([], [], color=colour, label=method)
        left_out = len(mine) - len(drawn)
        panel.set_title(f"epsilon = {epsilon:g}" + (f" ({left_out} not drawn)" if left_out else ""))
        panel.set_xlabel("ratings not kept, % of the data's")
        panel.set_ylabel("expected exposure, %")
        panel.set_ylim(0, 1.1 * max((y for _, (_, y) in drawn), default=1.0) or 1.0)
        panel.set_xlim(-0.5, max(5.0, 1.1 * max((x for _, (x, _) in drawn), default=1.0)))
        panel.grid(visible=True, alpha=0.3)
        panel.legend(fontsize="small", title="filled: on the front")
    write_figure(figure, path, force=force)


def _point(one: Option) -> tuple[float, float] | None:
    kept, exposed = one.value("ratings_kept"), one.value("exposure_expected")
    return None if kept is None or exposed is None else (100 * (1 - kept), 100 * exposed)
