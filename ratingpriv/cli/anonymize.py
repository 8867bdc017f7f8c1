"""``ratingpriv anonymize``: a release that holds what it claims, proved from the written file."""

from __future__ import annotations

import dataclasses
import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ratingpriv.cli.command import Given
from ratingpriv.cli.options import values
from ratingpriv.cli.options.shared import (
    DataOptions,
    ForceOption,
    JsonOption,
    RuleOptions,
    TalkOptions,
    choices,
)
from ratingpriv.cli.output.exits import keep_interruptible
from ratingpriv.cli.output.reporter import Talk
from ratingpriv.errors import OutputError, ParameterError, TargetNotReachedError

__all__ = ["MethodOptions", "PublicationOptions", "run"]

_HOW = "Method"
_PUBLICATION = "Publication"


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodOptions(RuleOptions):
    """How records are made alike, by which rules, and with what."""

    strategy: Annotated[
        str,
        typer.Option(
            "--strategy",
            help="modify: the least change for each group and issue, or the papers' rules.",
            rich_help_panel=_HOW,
            **choices("window", "paper"),
        ),
    ] = "window"
    grouping: Annotated[
        str,
        typer.Option(
            "--grouping",
            help="modify: groups made for little distortion, by partition, or as in the papers.",
            rich_help_panel=_HOW,
            **choices("distortion", "partition", "paper"),
        ),
    ] = "distortion"
    no_fabricate: Annotated[
        bool,
        typer.Option(
            "--no-fabricate",
            help="modify: never fill in a rating where there was none.",
            rich_help_panel=_HOW,
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOptions:
    """What becomes of order, ids and times, and how the release is written."""

    shuffle: Annotated[
        bool,
        typer.Option(
            "--shuffle", help="A random order and fresh ids: the default.", rich_help_panel=_PUBLICATION
        ),
    ] = False
    strip_ids: Annotated[
        bool,
        typer.Option(
            "--strip-ids",
            help="A random order and no ids (fresh ones where a row is a rating).",
            rich_help_panel=_PUBLICATION,
        ),
    ] = False
    keep_ids: Annotated[
        bool,
        typer.Option(
            "--keep-ids",
            help="The input's order and ids, which give everybody away who is known by them.",
            rich_help_panel=_PUBLICATION,
        ),
    ] = False
    keep_timestamps: Annotated[
        bool,
        typer.Option(
            "--keep-timestamps",
            help="Release timestamps too; they are not made anonymous, and pick records out.",
            rich_help_panel=_PUBLICATION,
        ),
    ] = False
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            metavar="FILE",
            help="Keep which record became which in FILE, private; else nobody can tell.",
            rich_help_panel=_PUBLICATION,
        ),
    ] = None
    order_seed: Annotated[
        str | None,
        typer.Option(
            "--order-seed",
            metavar="N",
            help="A secret seed for the random order, to get the same file twice.",
            rich_help_panel=_PUBLICATION,
        ),
    ] = None
    output_format: Annotated[
        str | None,
        typer.Option(
            "--output-format",
            metavar="NAME",
            help="The release's format; else by its name, else the input's.",
            rich_help_panel=_PUBLICATION,
        ),
    ] = None
    output_layout: Annotated[
        str | None,
        typer.Option(
            "--output-layout",
            help="The release's layout; else the input's.",
            rich_help_panel=_PUBLICATION,
            **choices("long", "wide"),
        ),
    ] = None

    @property
    def ids(self) -> str:
        """What becomes of order and ids."""
        said = {"shuffle": self.shuffle, "strip": self.strip_ids, "keep": self.keep_ids}
        chosen = [name for name, is_said in said.items() if is_said]
        if len(chosen) > 1:
            raise ParameterError("ids", chosen, "one of --shuffle, --strip-ids and --keep-ids")
        return chosen[0] if chosen else "shuffle"


def run(
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A file or directory of ratings; - is standard input.")
    ],
    k: Annotated[
        str, typer.Option("--k", metavar="K", help="How many records each neighbourhood shall have.")
    ],
    epsilon: Annotated[
        str,
        typer.Option(
            "--epsilon", metavar="E", help="The rating distance within which two ratings count as alike."
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="Change ratings, or withhold as few records as can be.",
            **choices("modify", "suppress"),
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="RELEASE", help="The file to release; the suffix may pack it."
        ),
    ],
    l: Annotated[  # noqa: E741 -- the theory's word
        str | None,
        typer.Option(
            "--l", metavar="L", help="The standard deviation that sensitive issues shall have in each."
        ),
    ] = None,
    as_json: JsonOption = False,
    force: ForceOption = False,
    *,
    how: MethodOptions,
    publication: PublicationOptions,
    reading: DataOptions,
    talking: TalkOptions,
    given: Given,
) -> int:
    """Make a release that is (k,ε)- or (k,ε,l)-anonymous.

    Changes as little as possible (--method modify) or withholds records (--method suppress), writes RELEASE
    and RELEASE.manifest.json in the input's layout, and audits the written file before it gets its name.
    Records come in a random order under fresh ids. ε is a distance between ratings, not a
    differential-privacy budget.

    Exits with 0 if released, 1 if the target cannot be reached (nothing is written), 2 if the input is bad.
    """
    from ratingpriv.anonymize.methods import anonymize, method_options
    from ratingpriv.anonymize.release.result import not_reached_content
    from ratingpriv.anonymize.release.writing import check_places, write_release
    from ratingpriv.audit.verdict import check_parameters
    from ratingpriv.formats.writing import check_format
    from ratingpriv.report.anonymize_text import print_release
    from ratingpriv.report.as_json import json_text

    keep_interruptible()
    talk, ids = talking.talk, publication.ids
    target: dict[str, Any] = {
        "k": values.whole("k", k, 1),
        "epsilon": values.real("epsilon", epsilon),
        "l": None if l is None else values.real("l", l),
        "nulls": how.nulls,
        "sensitive_nulls": how.sensitive_nulls,
    }
    check_parameters(**target, engine="slicing")  # wrong usage is said before a long read
    said = {name for name in ("strategy", "grouping") if name in given}
    said |= {"fabricate"} if how.no_fabricate else set()
    options: dict[str, Any] = {
        "strategy": how.strategy,
        "grouping": how.grouping,
        "fabricate": not how.no_fabricate,
    }
    options = {name: options[name] for name in options if name in said.union(method_options(method))}
    order = None if publication.order_seed is None else values.whole("order-seed", publication.order_seed, 0)
    resources: dict[str, Any] = dict(zip(("threads", "memory"), how.resources(), strict=True))
    seed = values.whole("seed", reading.seed, 0)
    if publication.output_format is not None:
        check_format(publication.output_format)
    check_places(output, publication.key, force=force)
    _refuse_the_input(data, output, publication.key)
    if reading.sample is not None:
        reading = _with_secret_seed(reading, given, talk)
    table = reading.read(data, talk, timestamps=publication.keep_timestamps)
    talk.detail(f"read {table!r}")
    try:
        with talk.progress() as progress:
            made = anonymize(table, method, **target, **options, rng=seed, **resources, progress=progress)
            release = write_release(
                made,
                output,
                original=table,
                key=publication.key,
                ids=ids,
                rng=order,
                format=publication.output_format,
                layout=publication.output_layout,
                timestamps=publication.keep_timestamps,
                force=force,
                **resources,
                progress=progress,
            )
    except TargetNotReachedError as error:
        if as_json:
            sys.stdout.write(json_text(not_reached_content(error, method, target), ascii_only=True))
        raise
    if as_json:
        sys.stdout.write(json_text(release.to_dict(), ascii_only=True))
    else:
        print_release(release, sys.stdout)
    return 0


def _with_secret_seed(reading: DataOptions, given: Given, talk: Talk) -> DataOptions:
    """Draw a sample's seed where none was given: who guesses it knows who of the input is in the sample."""
    if "seed" not in given:
        return dataclasses.replace(reading, seed=str(secrets.randbits(59)))
    talk.note(
        "the manifest tells the seed: whoever knows the input's order can tell from it who is in the sample"
    )
    return reading


def _refuse_the_input(data: str, output: str, key: str | None) -> None:
    """Refuse to write over what is read."""
    for path in (output, output + ".manifest.json", *([] if key is None else [key])):
        there = os.path.exists(path) and os.path.exists(data)  # noqa: PTH110 -- no OSError for odd names
        if there and Path(path).samefile(data):
            raise OutputError(f"{path}: this is the input; choose another name for the release")
