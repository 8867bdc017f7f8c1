"""``ratingpriv reproduce``: the papers' figures, and whether what they say holds."""

from __future__ import annotations

import sys

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli import options
from ratingpriv.cli.options.values import NamedPath, argument, group, named_path, option, writes
from ratingpriv.cli.output.invocation import answer, command, with_command
from ratingpriv.cli.output.reporter import progress_bars, wrote


@group
class _Figures(options.Printed):
    output: str | None = writes(
        "Write each to DIR: SVG, PDF, CSV, JSON, and a page of all.", metavar="DIR"
    )
    journal: str | None = writes("Keep what is measured in FILE: the next run goes on there.")


def run(
    figure: str | None = argument(
        "A figure, such as swlz11-3, or all; --list names them.", metavar="FIGURE"
    ),
    *,
    list_figures: bool = option(
        "List figures, panels and the data they need, and exit.", None, "--list"
    ),
    places: tuple[NamedPath, ...] = option(
        "Where data are: ml-100k, big5, netflix, survey, sparse.", None, "--data", parser=named_path
    ),
    quick: bool = option("A small grid on few records: to see that it works."),
    seed: int = option("The same seed gives the same random numbers.", 0),
    results: _Figures,
    resources: options.Resources,
) -> int:
    """Make figures of the papers again, on your data.

    For each panel: what the paper says, what comes out here, and whether the statement holds, does
    not hold, or cannot be said; and why. A figure uses all of its data that are given; survey and
    sparse are synthesised where none are. Times and memory are this machine's, and differ from run
    to run.

    Exits with 0, also where statements do not hold; 1 if no figure could be made; 2 if the input is
    bad.

    Examples
    --------
    ratingpriv reproduce --list
    ratingpriv reproduce swlp10-17 --quick -o figures
    ratingpriv reproduce all --data ml-100k=ml-100k -o figures
    """
    from ratingpriv.report.pages import page_of
    from ratingpriv.report.reproduction import prepare_folder, write_page, write_reproduced
    from ratingpriv.studies.papers import Reproduction, reproduce
    from ratingpriv.studies.papers.reproducing import figures_of, places_of

    if list_figures:
        return _list(results)
    if figure is None:
        raise ParameterError("figure", None, "the name of a figure, or all", "`list` names them")
    names = [spec.name for spec in figures_of(figure)]
    named = {folder_place.name: folder_place for folder_place in places}
    if len(named) < len(places):
        raise ParameterError("data", ", ".join(places), "one place for each name")
    data = places_of(named)
    folder = (
        None
        if results.output is None
        else prepare_folder(results.output, names, force=results.force)
    )

    def keep(alone: Reproduction) -> None:
        if folder is not None:
            write_reproduced(
                alone.figures[0], with_command(alone.to_dict()), folder, force=results.force
            )

    how = {"quick": quick, "journal": results.journal, "on_figure": keep, **resources.resources}
    with progress_bars() as progress:
        result = reproduce(figure, data=data, rng=seed, **how, progress=progress)
    if folder is not None:
        write_page(result, command(), folder, force=results.force)
        wrote(folder)
    answer(result.to_dict(), lambda: page_of(result), as_json=results.as_json)
    return 0 if result.made else 1


def _list(results: _Figures) -> int:
    from ratingpriv.report.pages import page
    from ratingpriv.report.text import print_page
    from ratingpriv.studies.papers.data import DATA
    from ratingpriv.studies.papers.reproducing import ALL, figures_of

    if results.as_json:
        raise ParameterError("json", "with --list", "one of the two: the list is a text")
    print_page(page({}, "figures", figures=figures_of(ALL), places=DATA), sys.stdout)
    return 0
