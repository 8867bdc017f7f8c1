"""``ratingpriv reproduce``: the papers' figures, and whether what they say holds."""

from __future__ import annotations

import dataclasses
import sys
from typing import Annotated

from typer import Argument, Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.values import named_path, writes
from ratingpriv.cli.output.invocation import command
from ratingpriv.cli.output.results import print_json, with_command

__all__ = ["run"]


def run(
    figure: Annotated[
        str | None, Argument(metavar="FIGURE", help="A figure, such as swlz11-3, or all; --list names them.")
    ] = None,
    *,
    list_figures: Annotated[
        bool, Option("--list", help="List the figures, their panels and the data they need, and exit.")
    ] = False,
    places: Annotated[
        tuple[str, ...],
        Option(
            "--data",
            metavar="NAME=PATH",
            parser=named_path,
            help="Where data are (repeatable): ml-100k, big5, netflix, survey, sparse.",
        ),
    ] = (),
    output: Annotated[
        str | None,
        writes(
            "--output",
            "-o",
            metavar="DIR",
            help="Write each figure to DIR: SVG, PDF, CSV and JSON, and a page with all.",
        ),
    ] = None,
    quick: Annotated[
        bool, Option("--quick", help="A small grid on few records: to see that it works.")
    ] = False,
    seed: Annotated[int, Option(metavar="N", help="The same seed gives the same random numbers.")] = 0,
    as_json: JsonOption = False,
    force: ForceOption = False,
    resources: ResourceOptions,
    general: GlobalOptions,
) -> int:
    """Make figures of the papers again, on your data.

    For each panel: what the paper says, what comes out here, and whether the statement holds, does not
    hold, or cannot be said; and why. A figure uses all of its data that are given; survey and sparse are
    synthesised where none are. Times and memory are this machine's, and differ from run to run.

    Exits with 0, also where statements do not hold; 1 if no figure could be made; 2 if the input is bad, or
    the data of the one figure that was asked for are absent.

    Examples
    --------
    ratingpriv reproduce --list
    ratingpriv reproduce swlp10-17 --quick -o figures
    ratingpriv reproduce all --data ml-100k=ml-100k -o figures
    """
    from ratingpriv.report.reproduction.page import figures_page, reproduction_page
    from ratingpriv.report.reproduction.writing import prepare_folder, write_page, write_reproduced
    from ratingpriv.report.text import print_page
    from ratingpriv.studies.papers.reproducing import ALL, Reproduction, figures_of, making, setting_of

    if list_figures and as_json:
        raise ParameterError("json", "with --list", "one of the two: the list is a text")
    if list_figures:
        print_page(figures_page(figures_of(ALL)), sys.stdout)
        return 0
    if figure is None:
        raise ParameterError("figure", None, "the name of a figure, or all", "`list` names them")
    figures = figures_of(figure)
    names = [getattr(place, "name", "") for place in places]
    for name, place in zip(names, places, strict=True):
        if names.count(name) > 1:
            raise ParameterError("data", f"{name}={place}", f"one place for {name}")
    named = dict(zip(names, places, strict=True))
    setting = setting_of(data=named, rng=seed, quick=quick, progress=None, **resources.resources)
    folder = None if output is None else prepare_folder(output, figures, force=force)
    made = []
    with general.reporter.progress() as progress:
        setting = dataclasses.replace(setting, progress=progress)
        for one in making(figures, setting, needed=figure != ALL):
            made.append(one)
            if folder is not None:
                alone = with_command(Reproduction(setting, (one,)).to_dict())
                write_reproduced(one, alone, folder, force=force)
    result = Reproduction(setting, tuple(made))
    if folder is not None:
        write_page(result, command(), folder, force=force)
        general.reporter.wrote(folder)
    if as_json:
        print_json(result.to_dict())
    else:
        print_page(reproduction_page(result), sys.stdout)
    return 0 if result.made else 1
