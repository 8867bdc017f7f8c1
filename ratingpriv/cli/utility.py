"""``ratingpriv utility``: what a release is still good for."""

from __future__ import annotations

import dataclasses
from typing import Any, Literal

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import together
from ratingpriv.cli import options
from ratingpriv.cli.options.values import RULES, file_argument, group, option, writes
from ratingpriv.cli.output.reporter import progress_bars, wrote


@group
class _Settings:
    target: str | None = option("The item that classification predicts.")
    epsilon: float | None = option("Distance of proximate records (clustering coefficient).")
    nulls: Literal["strict", "wildcard"] | None = option(
        "Missing there: far from every rating, or matches any.", panel=RULES
    )


@group
class _Results(options.Results):
    questions: str | None = writes("Write every item to FILE, as CSV.")


@together()
def run(
    *,
    data: str = file_argument("What the release was made from.", ..., metavar="ORIGINAL"),
    release: str = file_argument("What was released of them.", ..., metavar="RELEASE"),
    truth: str | None = options.TRUTH,
    measure: tuple[str, ...] = option("Only this measure."),
    how: _Settings,
    results: _Results,
    limits: options.Resources,
    reading: options.Data,
) -> int:
    """Measure what a release is still good for, beside its original.

    Every measure stands beside the original's and that of a random baseline, in which each rating
    is a random one of the same item: what is no better than that is lost. Some need to know which
    released record is whose (--truth); they are not measured without.

    Exits with 0; with --require (--help-data) 1 if a limit is not kept or not measured; 2 if input
    is bad.

    Examples
    --------
    ratingpriv anonymize survey.csv --k 3 --epsilon 1 --method modify -o r.csv
    ratingpriv utility survey.csv r.csv --require 'query_error<=0.5'
    """
    from ratingpriv.anonymize.methods import METHODS
    from ratingpriv.anonymize.release.manifest import stated_method
    from ratingpriv.report.tables import write_questions
    from ratingpriv.utility.measures import chosen
    from ratingpriv.utility.utility import check_usage, utility

    settings: dict[str, Any] = dataclasses.asdict(how)
    names, questions = chosen(measure or None), results.questions
    # wrong usage is reported before a long read
    require = check_usage(names, results.require, settings)
    needed = {"loss": "information_loss", "questions": "questions"}
    absent = {kind: f"--measure {name}" for kind, name in needed.items() if name not in names}
    results.check(ungated="", absent=absent, questions=questions)
    if questions is not None and "questions" not in names:
        raise ParameterError(
            "questions", questions, "items that are measured (--measure questions)"
        )
    whose = options.truth_of(truth, release)
    original = reading.read(data)
    published = reading.read_release(release, original)
    settings |= {**limits.resources, "rng": reading.seed, "truth": whose, "require": require}
    with progress_bars() as progress:
        measured = utility(original, published, measures=names, progress=progress, **settings)
    if METHODS.get(stated_method(release) or "", METHODS["modify"]).secret:
        measured = measured.rounded()
    if questions is not None:
        write_questions(measured, questions, force=results.force, csv_safe=results.csv_safe)
        wrote(questions)
    return results.deliver(measured, data=release)
