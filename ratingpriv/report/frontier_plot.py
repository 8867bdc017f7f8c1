"""The frontier as a figure: largest k and largest l against ε."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from ratingpriv.report.figures import check_figure, new_figure, write_figure

if TYPE_CHECKING:
    from ratingpriv.audit.frontier.result import Frontier

__all__ = ["plot_frontier"]


def plot_frontier(result: Frontier, path: str | Path, *, force: bool = False) -> None:
    """Draw the rows to ``path``, .svg or .png; steps, as what holds at one ε holds up to the next.

    Raises
    ------
    ParameterError, OutputError
        As :func:`ratingpriv.report.figures.check_figure`.
    """
    path = check_figure(path, force=force)
    names = result.dataset.sensitive
    figure = new_figure(7.0, 5.6 if names else 3.4)
    panels = figure.subplots(2 if names else 1, 1, sharex=True, squeeze=False)[:, 0]
    epsilons = [row.epsilon for row in result.rows]
    asked = result.parameters
    marker = "o" if len(epsilons) <= 40 else None
    panels[0].step(epsilons, [row.max_k for row in result.rows], where="post", marker=marker, ms=4)
    panels[0].set_ylabel("largest k that holds")
    panels[0].set_yscale("log" if max(row.max_k for row in result.rows) > 50 else "linear")
    if asked.k is not None:
        panels[0].axhline(asked.k, color="0.4", linestyle="--", linewidth=1, label=f"k = {asked.k}")
        panels[0].legend()
    if names:
        for name in names:
            largest = [math.nan if row.max_l[name] is None else row.max_l[name] for row in result.rows]
            panels[1].step(epsilons, largest, where="post", marker=marker, ms=4, label=_plain(name))
        if asked.l is not None:
            panels[1].axhline(asked.l, color="0.4", linestyle="--", linewidth=1, label=f"l = {asked.l:g}")
        panels[1].set_ylabel("largest l that holds (SD)")
        panels[1].legend()
    for panel in panels:
        for one in result.feasible or ():
            panel.axvspan(one.start, epsilons[-1] if one.below is None else one.below, color="C2", alpha=0.12)
        panel.grid(alpha=0.3)
    panels[-1].set_xlabel("epsilon (distance between ratings)")
    panels[0].set_title(_plain(result.dataset.name))
    write_figure(figure, path, force=force)


def _plain(name: str) -> str:
    """Return a name as text that is not taken for mathematics or for a hidden label."""
    return name.replace("$", r"\$").replace("_", " ", 1) if name.startswith("_") else name.replace("$", r"\$")
