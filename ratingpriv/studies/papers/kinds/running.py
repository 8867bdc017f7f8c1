"""Making a figure by its kind: a module of this package with ``run(figure, setting) -> Outcome``."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import replace
from typing import cast

from ratingpriv.base.errors import ParameterError
from ratingpriv.studies.papers.figure import Figure, Outcome, Setting

__all__ = ["run"]


def run(figure: Figure, setting: Setting) -> Outcome:
    """Make a figure; every panel has a judgement, or the kind is wrong.

    Raises
    ------
    ParameterError
        There is no such kind, or none of the figure's data is in ``setting.data``.
    """
    module = f"ratingpriv.studies.papers.kinds.{figure.kind}"
    if figure.kind == "running" or importlib.util.find_spec(module) is None:
        raise ParameterError("kind", figure.kind, "a kind of figure")
    outcome = cast("Outcome", importlib.import_module(module).run(figure, setting))
    for name in {*(one.panel for one in outcome.series), *(one.panel for one in outcome.judgements)}:
        figure.panel(name)
    silent = {panel.name for panel in figure.panels} - {one.panel for one in outcome.judgements}
    if silent:
        raise ParameterError("judgements", sorted(silent), f"one for each panel of {figure.name}")
    remarks = tuple(panel.remark for panel in figure.panels if panel.remark)
    return replace(outcome, notes=outcome.notes + remarks)
