"""``ratingpriv partition``: groups of records that are all alike, and a proof of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from ratingpriv.cli.output.results import OutputOption, check_outputs, give, print_json
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.cli.output.reporter import Talk

__all__ = ["run"]


def run(
    *,
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="A file or directory of ratings; - is standard input.")
    ],
    k: Annotated[
        str | None,
        typer.Option("--k", metavar="K", help="How many records each group shall have.", show_default=False),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            "--epsilon",
            metavar="E",
            help="The rating distance within which two ratings count as alike.",
            show_default=False,
        ),
    ] = None,
    l: Annotated[  # noqa: E741 -- the theory's word
        str | None,
        typer.Option(
            "--l",
            metavar="L",
            help="The standard deviation that sensitive issues shall have in each group.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="All that helps; a plain greedy; the papers' slicing and borrowing; a complete search of "
            "what is small.",
            **choices("auto", "greedy", "slicing", "exact"),
        ),
    ] = "auto",
    order: Annotated[
        str,
        typer.Option(
            "--order",
            help="Whose group the greedy makes first: as the data stand, or those with the fewest alike.",
            **choices("position", "fewest"),
        ),
    ] = "position",
    groups: Annotated[
        str | None,
        typer.Option("--groups", metavar="FILE", help="Write record,group to FILE as CSV."),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="FILE", help="Write a proof to FILE that --check checks."),
    ] = None,
    check: Annotated[
        str | None,
        typer.Option(
            "--check",
            metavar="FILE",
            help="Look for nothing: check the proof in FILE against DATA, from the definition.",
        ),
    ] = None,
    as_json: JsonOption = False,
    output: OutputOption = None,
    force: ForceOption = False,
    reading: DataOptions,
    rules: RuleOptions,
    talking: TalkOptions,
    given: Given,
) -> int:
    """Split data into groups of records that are all alike.

    In each group any two records differ by at most E on every non-sensitive issue; each has at least K
    records and, with --l, sensitive ratings with a standard deviation of at least L. If everybody is in a
    group, the data are (k,ε)-anonymous, and the groups prove it. If not, that proves nothing unless the
    result says so. ε is a distance between ratings, not a differential-privacy budget.

    Exits with 0 if found (or the proof is right), 1 if not, 2 if the input is bad.
    """
    talk = talking.talk
    if check is not None:
        clashing = given & {"k", "epsilon", "l", "groups", "certificate", "output", "method", "order"}
        return _check(check, data, reading, talk, as_json=as_json, clashing=clashing)
    from ratingpriv import checks
    from ratingpriv.partition.greedy.greedy import ORDERS
    from ratingpriv.partition.partitioning import METHODS, partition
    from ratingpriv.proximity.levels import NULL_RULES
    from ratingpriv.proximity.moments import SENSITIVE_NULLS
    from ratingpriv.report.partition import partition_page

    if k is None or epsilon is None:
        raise ParameterError(
            "k" if k is None else "epsilon", None, "a number", "give --k and --epsilon, or --check FILE"
        )
    asked: dict[str, Any] = {
        "k": values.whole("k", k, 1),
        "epsilon": values.real("epsilon", epsilon),
        "l": None if l is None else values.real("l", l),
        "method": checks.choice("method", method, METHODS),
        "order": checks.choice("order", order, ORDERS),
        "nulls": checks.choice("nulls", rules.nulls, NULL_RULES),
        "sensitive_nulls": checks.choice("sensitive_nulls", rules.sensitive_nulls, SENSITIVE_NULLS),
    }
    threads, memory = rules.resources()
    check_outputs({"output": output, "groups": groups, "certificate": certificate}, force=force)
    table = reading.read(data, talk)
    talk.detail(f"read {table!r}")
    with talk.progress() as progress:
        result = partition(table, **asked, threads=threads, memory=memory, progress=progress)
    if groups is not None:
        from ratingpriv.partition.files.groups import write_groups

        write_groups(result.groups, table, groups, force=force)
        talk.note(f"wrote {groups}")
    if certificate is not None:
        from ratingpriv.partition.files.certificate import write_certificate

        write_certificate(result, table, certificate, force=force)
        talk.note(f"wrote {certificate}")
    give(
        result.to_dict(),
        lambda: partition_page(result),
        as_json=as_json,
        output=output,
        force=force,
        talk=talk,
    )
    return 0 if result.found else 1


def _check(
    file: str, data: str, reading: DataOptions, talk: Talk, *, as_json: bool, clashing: frozenset[str]
) -> int:
    """Check a certificate against the data."""
    from ratingpriv.partition.files.certificate_check import check_certificate
    from ratingpriv.report.partition import certificate_page, check_dict
    from ratingpriv.report.text import print_page

    if clashing:
        option = sorted(clashing)[0]
        raise ParameterError(
            option, "with --check", f"no --{option}", "the proof in the file says what to check"
        )
    if not Path(file).is_file():
        raise ParameterError("check", file, "a file that --certificate wrote")
    table = reading.read(data, talk)
    found = check_certificate(file, table)
    if as_json:
        print_json(check_dict(found))
    else:
        print_page(certificate_page(found, table.origin.name), sys.stdout)
    return 0 if found.holds and found.everybody else 1
