"""``ratingpriv anonymize``: a release that holds what it claims, proved from the written file."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from typer import Option

from ratingpriv.base.errors import ParameterError, ResourceError, TargetNotReachedError
from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.anonymize import MethodOptions, PublicationOptions
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import AcceptOption, KOption, LOption, RuleOptions
from ratingpriv.cli.options.values import writes
from ratingpriv.cli.output.reporter import STANDARD_OUTPUT
from ratingpriv.cli.output.results import print_json, with_command
from ratingpriv.cli.output.step import keep

__all__ = ["run"]

_SEED_TELLS = (
    "the manifest tells the seed: whoever knows the input's order can tell from it who is in the sample"
)


def run(
    data: DataArgument,
    k: KOption,
    method: Annotated[
        Literal["modify", "suppress", "predictive"],
        Option(help="Change ratings, suppress records, or make groups of similar records identical."),
    ],
    output: Annotated[str, writes("--output", "-o", metavar="RELEASE", help="The file to release.")],
    epsilon: Annotated[
        float | None,
        Option(metavar="E", help="Largest rating distance of neighbours; predictive: 0 unless you name one."),
    ] = None,
    l: LOption = None,  # noqa: E741 -- the theory's word
    accept: AcceptOption = (),
    as_json: JsonOption = False,
    force: ForceOption = False,
    *,
    picture: PictureOptions,
    how: MethodOptions,
    publication: PublicationOptions,
    reading: DataOptions,
    rules: RuleOptions,
    general: GlobalOptions,
    given: Given,
    data_arguments: DataArguments,
) -> int:
    """Anonymize a dataset: make a release that is (k,ε)-anonymous.

    Modifies ratings, looking for little change, or suppresses records, or makes similar records identical
    (predictive, for sparse data), writes RELEASE and RELEASE.manifest.json, and audits what was written
    before it is named. Records get a random order and fresh ids. ε is a rating distance, not a
    differential-privacy budget.

    Exits with 0 if released, 1 if the target cannot be reached (nothing is written) or with a "but", 2 if the
    input is bad.

    Examples
    --------
    ratingpriv anonymize survey.csv --k 3 --epsilon 1 --method modify -o r.csv
    ratingpriv anonymize survey.csv --k 3 --epsilon 1 --method suppress -o s.csv
    ratingpriv anonymize survey.csv --k 3 --method predictive -o p.csv
    """
    from ratingpriv.anonymize.methods import check_method_options, method_epsilon
    from ratingpriv.anonymize.release.releasing import make_release
    from ratingpriv.anonymize.release.result import SCHEMA, not_reached_content
    from ratingpriv.base.compute.resources import Resources
    from ratingpriv.report.release import release_page
    from ratingpriv.report.text import print_page

    reporter = general.reporter
    target = rules.target(k, method_epsilon(method, epsilon), l)
    options = how.chosen(given) | publication.means
    check_method_options(method, options, timestamps=publication.keep_timestamps)
    publish = publication.of(output, force=force, accept=accept)
    absent = {} if publication.utility == "all" else {"questions": "--utility all"}
    absent |= {"utility": "--utility quick"} if publication.utility == "none" else {}
    picture.check(SCHEMA, force=force, absent=absent)
    if picture.plot and Path(picture.plot).resolve() in publish.files:
        raise ParameterError("plot", picture.plot, "another file than the release, its manifest and its key")
    seed = reading.seed if "seed" in given else None  # else the operating system's
    if reading.sample is not None and seed is None:  # who guesses it knows who of the input is in the sample
        reading = dataclasses.replace(reading, seed=secrets.randbits(59))
    elif reading.sample is not None:
        reporter.note(_SEED_TELLS)
    table = reading.read(data, reporter, timestamps=publication.keep_timestamps)
    try:
        with reporter.progress() as progress:
            limits = Resources(**rules.resources, progress=progress)
            release = make_release(
                table, method, target, publish, options=options, seed=seed, resources=limits
            )
    except TargetNotReachedError as error:
        best = not_reached_content(error, table, method, dataclasses.asdict(target))
        if as_json:
            print_json(best)
        keep(lambda: with_command(best))
        raise
    content = release.to_dict()
    keep(lambda: with_command(content), private=publication.order_seed is not None)
    picture.draw(content, reporter, force=force)
    key = "" if publication.key is None else f", and its key {publication.key}"
    with _written(f"the release {output} and its manifest were written{key}"):
        if as_json:
            print_json(content)
        else:
            print_page(release_page(release, data=data_arguments), sys.stdout)
    return 0 if release.standing.passes else 1


@contextlib.contextmanager
def _written(what: str) -> Iterator[None]:
    """Say what is there all the same where standard output fails: nothing is to be made again."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        raise ResourceError(f"{STANDARD_OUTPUT}: {error.strerror}; {what}") from error
