"""``ratingpriv utility``: what a release is still good for."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from typer import Argument, Option

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli.options.data import DataOptions
from ratingpriv.cli.options.gate import GateOptions
from ratingpriv.cli.options.general import CsvSafeOption, GlobalOptions, TruthOption, truth_of
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import ResourceOptions
from ratingpriv.cli.options.values import RULES, input_file, setting, writes
from ratingpriv.cli.output.results import ResultOptions

__all__ = ["run"]


@together()
def run(
    data: Annotated[
        str, Argument(metavar="ORIGINAL", parser=input_file, help="The data that the release was made from.")
    ],
    release: Annotated[
        str, Argument(metavar="RELEASE", parser=input_file, help="What was released of them.")
    ],
    *,
    truth: TruthOption = None,
    key: Annotated[str | None, Option(parser=input_file, hidden=True)] = None,
    ids: Annotated[bool, Option("--ids", hidden=True)] = False,
    measure: Annotated[tuple[str, ...], Option(metavar="NAME", help="Only this measure (repeatable).")] = (),
    target: Annotated[
        str | None, Option(metavar="NAME", help="The item that classification predicts.")
    ] = None,
    epsilon: Annotated[
        float | None, Option(metavar="E", help="Who is proximate, for the clustering coefficient.")
    ] = None,
    nulls: Annotated[
        Literal["strict", "wildcard"] | None,
        Option(help="Unanswered there: far from every rating, or matches any.", rich_help_panel=RULES),
    ] = None,
    queries: Annotated[
        int | None, setting(metavar="N", min=1, help="How many count queries are drawn (100).")
    ] = None,
    classifier: Annotated[
        Literal["categorical", "gaussian"] | None,
        setting(help="Naive Bayes by answers (categorical), or by means."),
    ] = None,
    clusters: Annotated[
        int | None, setting(metavar="N", min=1, help="How many clusters k-means makes (5).")
    ] = None,
    cluster_nulls: Annotated[
        Literal["zero", "mean"] | None, setting(help="Unanswered counts as 0 there (zero), or the mean.")
    ] = None,
    questions: Annotated[str | None, writes(help="Write every question to FILE, as CSV.")] = None,
    picture: PictureOptions,
    csv_safe: CsvSafeOption = True,
    gates: GateOptions,
    results: ResultOptions,
    limits: ResourceOptions,
    reading: DataOptions,
    general: GlobalOptions,
) -> int:
    """Measure what a release is still good for, beside its original.

    Every measure stands beside the original's and that of a worthless release, in which each rating is a
    random one of the same item: what is no better than that is lost. Some need to know which released record
    is whose (--truth); they are not measured without.

    Exits with 0; with --require 'NAME<=X' (--help-data) 1 if a limit is not kept or what it is on could not
    be measured; 2 if the input is bad.

    Examples
    --------
    ratingpriv anonymize survey.csv --k 3 --epsilon 1 --method modify -o r.csv
    ratingpriv utility survey.csv r.csv --require 'query_error<=0.5'
    """
    from ratingpriv.report.utility.page import utility_page
    from ratingpriv.report.utility.questions import write_questions
    from ratingpriv.utility.measures import chosen
    from ratingpriv.utility.result import SCHEMA
    from ratingpriv.utility.utility import check_usage, utility

    reporter = general.reporter
    given = [one for one in (truth, key, "ids" if ids else None) if one is not None]  # two are old words
    if len(given) > 1:
        raise ParameterError("truth", " and ".join(given), "one of them")
    settings: dict[str, Any] = {
        "epsilon": epsilon, "nulls": nulls, "queries": queries, "target": target,
        "classifier": classifier, "clusters": clusters, "cluster_nulls": cluster_nulls,
    }  # fmt: skip
    names = chosen(measure or None)
    requirements = check_usage(names, gates.require, settings)  # wrong usage is reported before a long read
    gate = gates.of("utility", gated=False, parsed=requirements)
    results.check(questions=questions, plot=picture.plot, **gates.files)
    needed = {"loss": "information_loss", "questions": "questions"}
    absent = {kind: f"--measure {name}" for kind, name in needed.items() if name not in names}
    picture.check(SCHEMA, force=results.force, absent=absent)
    if questions is not None and "questions" not in names:
        raise ParameterError("questions", questions, "questions that are measured (--measure questions)")
    whose = truth_of(given[0] if given else None, release)
    original, published = reading.read(data, reporter), reading.read_release(release, reporter)
    how = {**settings, **limits.resources, "rng": reading.seed}
    with reporter.progress() as progress:
        found = utility(
            original, published, truth=whose, measures=names, require=requirements, progress=progress, **how
        )
    if questions is not None:
        write_questions(found, questions, force=results.force, csv_safe=csv_safe)
        reporter.wrote(questions)
    return gate.deliver(
        found.to_dict(), lambda: utility_page(found), results, reporter,
        data=release, picture=picture, frame=found.to_frame, csv_safe=csv_safe,
    )  # fmt: skip
