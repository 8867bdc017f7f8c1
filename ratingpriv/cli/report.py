"""``ratingpriv report``: everything that was measured, as one page for a board or for the team."""

from __future__ import annotations

import sys
from typing import Annotated, Any, Literal

from typer import Argument, Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.diversity import DiversityOptions
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption, TruthOption, truth_of
from ratingpriv.cli.options.rules import AcceptOption, LOption, ModelOptions
from ratingpriv.cli.options.values import input_file, reads, writes
from ratingpriv.cli.output.results import print_json, with_command
from ratingpriv.report.wording import as_options

__all__ = ["run"]

_NAMED = 20
"""So many records that break the verdict are named to the team."""


@together()
def run(
    *,
    data: Annotated[
        str | None,
        Argument(
            metavar="DATA", parser=input_file, help="The data: a file or directory of ratings. Or --from."
        ),
    ] = None,
    released: Annotated[
        str | None, Argument(metavar="RELEASE", parser=input_file, help="As --release.", hidden=True)
    ] = None,
    release: Annotated[str | None, reads(help="What was released of DATA.")] = None,
    output: Annotated[str | None, writes("--output", "-o", help="The report: .html or .pdf.")] = None,
    k: Annotated[int | None, Option(metavar="K", min=1, help="Smallest size of a neighbourhood.")] = None,
    epsilon: Annotated[
        float | None, Option(metavar="E", help="Largest rating distance of neighbours.")
    ] = None,
    l: LOption = None,  # noqa: E741 -- the theory's word
    truth: TruthOption = None,
    saved: Annotated[
        tuple[str, ...],
        reads(
            "--from",
            metavar="FILE.json",
            help="Take a result that was saved, instead of measuring again (repeatable).",
        ),
    ] = (),
    accept: AcceptOption = (),
    skip: Annotated[
        tuple[Literal["exposure", "frontier", "attack", "utility", "verify"], ...],
        Option(help="Do not measure this; the report says so (repeatable)."),
    ] = (),
    more: Annotated[
        tuple[Literal["recommend"], ...], Option("--with", help="Measure this, too: it is slow (repeatable).")
    ] = (),
    internal: Annotated[
        bool, Option("--internal", help="For those who have the data: exact, with hashes and paths.")
    ] = False,
    threshold: Annotated[
        int, Option(metavar="N", min=1, help="Else: numbers of people below N are not shown.")
    ] = 10,
    as_json: JsonOption = False,
    force: ForceOption = False,
    diversity: DiversityOptions,
    reading: DataOptions,
    model: ModelOptions,
    general: GlobalOptions,
) -> int:
    """Report all that was found of DATA, and of a --release of them, on one page.

    Audits both with their exposure, searches the frontier, attacks both, measures utility and verifies the
    manifest, or takes results that were saved. The page is one file without scripts from elsewhere, for a
    browser, for print and for a screen reader. What was not measured is said.

    It is for anybody: no record, no answer, and no number of people below the threshold. --internal has
    everything, for those who have the data, and so has --json. ε is a distance between ratings, not a
    differential-privacy budget.

    Exits with 0 if the release (without one: the data) is as anonymous as requested, 1 if not or with a
    "but", 2 if the input is bad.

    Examples
    --------
    ratingpriv report survey.csv --k 5 --epsilon 1 -o report.html
    ratingpriv audit survey.csv --k 5 --epsilon 1 -o audit.json
    ratingpriv report --from audit.json -o saved.html
    """
    from ratingpriv.base.compute.resources import Resources
    from ratingpriv.base.files import name_together
    from ratingpriv.report.overview import measuring, overview
    from ratingpriv.report.overview.documents import read_documents
    from ratingpriv.report.text import print_page

    reporter = general.reporter
    if None not in (released, release):
        raise ParameterError("release", release, "one release")
    release, key = release or released, truth_of(truth, release or released)
    if output is not None:
        overview.check_report_file(output, force=force)
    elif not as_json:
        raise ParameterError("output", None, "-o FILE.html or FILE.pdf, or --json")
    there = read_documents(saved)  # wrong ones are refused before a long read
    asked: dict[str, Any] = {"truth": key, "saved": saved, "accept": accept}
    demand = {"k": k, "epsilon": epsilon, "l": l}
    table = published = None
    if data is not None:
        rules = {"nulls": model.nulls, "sensitive_nulls": model.sensitive_nulls, "engine": model.engine}
        asked["target"] = measuring.target_of(there, **demand, **rules, **diversity.demands)
        table = reading.read(data, reporter, timestamps=True)
        published = release and reading.read_release(release, reporter, timestamps=True)
    for name, value in demand.items() if data is None else ():
        if value is not None:
            raise ParameterError(name, value, f"no --{name} without DATA: saved results have theirs")
    how: dict[str, Any] = {"skip": skip, "more": more, "seed": reading.seed}
    with reporter.progress() as progress:
        asked["measuring"] = measuring.Measuring(
            **how, named=_NAMED if internal else 0, note=lambda text: reporter.note(as_options(text))
        )
        asked["resources"] = Resources(**model.resources, progress=progress)
        documents = measuring.report(table, published, **asked)
    documents |= {part: with_command(one) for part, one in documents.items() if part not in there}
    page = overview.summary(documents)
    if output is not None:
        overview.write_report(documents, output, force=force, internal=internal, threshold=threshold)
        reporter.wrote(output)
    name_together()
    if as_json:
        print_json(overview.report_document(documents))
    else:
        print_page(page, sys.stdout)
    return 0 if overview.passes(documents) else 1
