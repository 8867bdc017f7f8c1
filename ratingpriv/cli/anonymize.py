"""``ratingpriv anonymize``: a release that holds what it claims, proved from the written file."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from typer import Option

from ratingpriv.cli.command import DataArguments, Given
from ratingpriv.cli.options.anonymize import MethodOptions, PublicationOptions
from ratingpriv.cli.options.data import DataArgument, DataOptions
from ratingpriv.cli.options.general import ForceOption, GlobalOptions, JsonOption
from ratingpriv.cli.options.picture import PictureOptions
from ratingpriv.cli.options.rules import AcceptOption, KOption, LOption, RuleOptions
from ratingpriv.cli.options.values import output_file
from ratingpriv.cli.output.reporter import STANDARD_OUTPUT, Reporter
from ratingpriv.cli.output.results import print_json, with_command
from ratingpriv.cli.output.step import keep
from ratingpriv.errors import ParameterError, ResourceError, TargetNotReachedError

__all__ = ["run"]


def run(
    data: DataArgument,
    k: KOption,
    method: Annotated[
        Literal["modify", "suppress", "predictive"],
        Option(
            "--method", help="Change ratings, suppress records, or make groups of similar records identical."
        ),
    ],
    output: Annotated[
        str, Option("--output", "-o", metavar="RELEASE", parser=output_file, help="The file to release.")
    ],
    epsilon: Annotated[
        float | None,
        Option(
            "--epsilon",
            metavar="E",
            help="Largest rating distance of neighbours; predictive: 0 unless you name one.",
        ),
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
    from ratingpriv.anonymize.methods import (
        anonymize,
        check_method_options,
        method_epsilon,
        method_options,
    )
    from ratingpriv.anonymize.modification.modify import check_fill
    from ratingpriv.anonymize.predictive.predictive import check_options
    from ratingpriv.anonymize.release.attacked import attacked
    from ratingpriv.anonymize.release.result import not_reached_content
    from ratingpriv.anonymize.release.signatures import signing_key
    from ratingpriv.anonymize.release.usefulness import check_published, usefulness
    from ratingpriv.anonymize.release.writing import check_places, write_release
    from ratingpriv.formats.writing import check_format, choose_format, refuse_columns_beside_ratings
    from ratingpriv.report.release import release_page
    from ratingpriv.report.text import print_page

    reporter, ids = general.reporter, publication.ids
    # wrong usage is reported before a long read
    target = dataclasses.asdict(rules.target(k, method_epsilon(method, epsilon), l))
    options: dict[str, Any] = {
        "strategy": how.strategy,
        "grouping": how.grouping,
        "fabricate": not how.no_fabricate,
        "fill": how.fill,
        "scheme": how.scheme,
        "labels": publication.means or "rounded",
        "diversity": how.diversity,
        "factors": how.factors,
        "bins": how.bins,
        "centres": how.centres,
    }
    names = (set(options) - {"labels"}) & given | ({"fabricate"} if how.no_fabricate else set())
    names |= {"labels"} if publication.means else set()
    options = {name: options[name] for name in options if name in names.union(method_options(method))}
    check_method_options(method, options)
    if method == "modify":
        check_fill(how.fill, how.strategy, fabricate=not how.no_fabricate)
    if method == "predictive":
        check_options(
            scheme=how.scheme, labels=options["labels"], diversity=how.diversity, centres=how.centres,
            timestamps=publication.keep_timestamps,
        )  # fmt: skip
    if publication.output_format is not None:
        check_format(publication.output_format)
    published = check_published(publication.publish_utility, publication.utility)
    places = check_places(output, publication.key, force=force)
    _check_picture(picture, places, publication, force=force)
    signer = None if publication.sign is None else signing_key(publication.sign)
    seed = reading.seed if "seed" in given else None  # else the operating system's
    if reading.sample is not None:
        reading = _with_secret_seed(reading, given, reporter)
    table = reading.read(data, reporter, timestamps=publication.keep_timestamps)
    choose_format(table, output, publication.output_format)  # what cannot be written is said before long work
    if (publication.output_layout or table.origin.layout) == "long":
        refuse_columns_beside_ratings(table)
    try:
        with reporter.progress() as progress:
            made = anonymize(
                table, method, **target, **options, rng=seed, **rules.resources, progress=progress
            )
            useful = usefulness(
                made,
                table,
                amount=publication.utility,
                # who knows the seed could ask the measures of a manifest anew
                rng=seed if seed is not None or published else 0,
                **rules.resources,
                progress=progress,
            )
            found = None
            if publication.utility != "none":
                found = attacked(made, table, **rules.resources, progress=progress)
            release = write_release(
                made,
                output,
                original=table,
                key=publication.key,
                ids=ids,
                rng=publication.order_seed,
                format=publication.output_format,
                layout=publication.output_layout,
                labels=publication.words,
                timestamps=publication.keep_timestamps,
                csv_safe=publication.csv_safe,
                force=force,
                sign=signer,
                utility=useful,
                publish_utility=published,
                accept=accept,
                **rules.resources,
                progress=progress,
            )
        release = dataclasses.replace(release, attack=found)
    except TargetNotReachedError as error:
        best = not_reached_content(error, table, method, target)
        if as_json:
            print_json(best)
        keep(lambda: with_command(best))
        raise
    keep(lambda: with_command(release.to_dict()), private=publication.order_seed is not None)
    picture.draw(release.to_dict(), reporter, force=force)
    key = "" if publication.key is None else f", and its key {publication.key}"
    with _written(f"the release {output} and its manifest were written{key}"):
        if as_json:
            print_json(release.to_dict())
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


def _check_picture(
    picture: PictureOptions, release: Path, publication: PublicationOptions, *, force: bool
) -> None:
    """Refuse, before a long read, a picture that could not be drawn, or that is one of the other files."""
    from ratingpriv.anonymize.release.manifest import manifest_path
    from ratingpriv.anonymize.release.result import SCHEMA

    absent = {} if publication.utility == "all" else {"questions": "--utility all"}
    if publication.utility == "none":
        absent["utility"] = "--utility quick"
    picture.check(SCHEMA, force=force, absent=absent)
    others = (release, manifest_path(release), publication.key)
    if picture.plot and Path(picture.plot).resolve() in [Path(one).resolve() for one in others if one]:
        raise ParameterError("plot", picture.plot, "another file than the release, its manifest and its key")


def _with_secret_seed(reading: DataOptions, given: Given, reporter: Reporter) -> DataOptions:
    """Draw a sample's seed where none was given: who guesses it knows who of the input is in the sample."""
    if "seed" not in given:
        return dataclasses.replace(reading, seed=secrets.randbits(59))
    reporter.note(
        "the manifest tells the seed: whoever knows the input's order can tell from it who is in the sample"
    )
    return reading
