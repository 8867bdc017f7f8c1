"""``ratingpriv verify``: whether a release is what its manifest claims."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ratingpriv.cli.options import values
from ratingpriv.cli.options.shared import JsonOption, TalkOptions
from ratingpriv.cli.output.exits import keep_interruptible

__all__ = ["run"]


def run(
    release: Annotated[
        str, typer.Argument(metavar="RELEASE", help="The released file; RELEASE.manifest.json is beside it.")
    ],
    k: Annotated[str | None, typer.Option("--k", metavar="K", help="Demand at least this k.")] = None,
    epsilon: Annotated[
        str | None,
        typer.Option("--epsilon", metavar="E", help="Demand it at this rating distance; else as claimed."),
    ] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        str | None, typer.Option("--l", metavar="L", help="Demand at least this standard deviation.")
    ] = None,
    threads: Annotated[
        str | None, typer.Option("--threads", metavar="N", help="Threads; else one a core.")
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="Limit for the engine's memory, such as 4GiB."),
    ] = None,
    as_json: JsonOption = False,
    *,
    talking: TalkOptions,
) -> int:
    """Check a release against its manifest, anew from its file.

    Anybody can: it needs RELEASE and RELEASE.manifest.json, nothing else. --k, --epsilon and --l demand what
    you need, whatever the manifest claims. ε is a distance between ratings, not a differential-privacy
    budget.

    Exits with 0 if valid; 1 if the file was changed, is not as anonymous as claimed, or is not what you
    demand; 2 if it or its manifest cannot be read.
    """
    from ratingpriv.anonymize.release.verify import verify
    from ratingpriv.report.as_json import json_text
    from ratingpriv.report.release import verification_page
    from ratingpriv.report.text import print_page

    keep_interruptible()
    talk = talking.talk
    demanded = {
        "k": None if k is None else values.whole("k", k, 1),
        "epsilon": None if epsilon is None else values.real("epsilon", epsilon),
        "l": None if l is None else values.real("l", l),
        "threads": None if threads is None else values.whole("threads", threads, 1),
        "memory": None if memory is None else values.bytes_of("memory", memory),
    }
    with talk.progress() as progress:
        result = verify(release, progress=progress, **demanded)  # type: ignore[arg-type]
    if as_json:
        sys.stdout.write(json_text(result.to_dict(), ascii_only=True))
    else:
        print_page(verification_page(result), sys.stdout)
    return 0 if result.valid else 1
