"""``ratingpriv audit``: the verdict, who is at risk, what to do next."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ratingpriv.cli.command import Given
from ratingpriv.cli.options import values
from ratingpriv.cli.options.graph import DatasetOption, StoreOptions
from ratingpriv.cli.options.shared import DataOptions, ForceOption, JsonOption, ModelOptions, TalkOptions
from ratingpriv.cli.output.reporter import Talk
from ratingpriv.cli.output.results import OutputOption, check_outputs, print_json
from ratingpriv.errors import ParameterError

if TYPE_CHECKING:
    from ratingpriv.audit.result import AuditResult

__all__ = ["run"]


def run(
    *,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]", help="A file or directory of ratings; - is standard input. Or --dataset."
        ),
    ] = None,
    k: Annotated[
        str, typer.Option("--k", metavar="K", help="How many records each neighbourhood shall have.")
    ],
    epsilon: Annotated[
        str,
        typer.Option(
            "--epsilon", metavar="E", help="The rating distance within which two ratings count as alike."
        ),
    ],
    l: Annotated[  # noqa: E741 -- the theory's word
        str | None,
        typer.Option(
            "--l", metavar="L", help="The standard deviation that sensitive issues shall have in each."
        ),
    ] = None,
    as_json: JsonOption = False,
    output: OutputOption = None,
    per_record: Annotated[
        str | None,
        typer.Option(
            "--per-record", metavar="FILE", help="Also write a row a record to FILE, .csv or .parquet."
        ),
    ] = None,
    force: ForceOption = False,
    show: Annotated[str, typer.Option("--show", metavar="N", help="List at most N violators.")] = "20",
    dataset: DatasetOption = None,
    storing: StoreOptions,
    reading: DataOptions,
    model: ModelOptions,
    talking: TalkOptions,
    given: Given,
) -> int:
    """Say whether data are private enough, and who is at risk.

    Decides exactly whether DATA is (k,ε)-anonymous or, with --l, (k,ε,l)-anonymous.

    Every record must have at least K records (itself included) within a rating distance of E on every
    non-sensitive issue; with --l, their sensitive ratings must also have a standard deviation of at least L.
    ε is a distance between ratings, not a differential-privacy budget.

    Instead of DATA, --dataset names one that ratingpriv ingest put into a graph store (--store); it is
    audited there, in Cypher, with the same result.

    Exits with 0 if satisfied, 1 if not, 2 if the input is bad.
    """
    from ratingpriv.report.as_json import write_json
    from ratingpriv.report.audit import audit_page
    from ratingpriv.report.per_record import write_per_record
    from ratingpriv.report.plain import write_text
    from ratingpriv.report.text import print_page, render

    talk = talking.talk
    asked: dict[str, Any] = {
        "k": values.whole("k", k, 1),
        "epsilon": values.real("epsilon", epsilon),
        "l": None if l is None else values.real("l", l),
        "sensitive_nulls": model.sensitive_nulls,
    }
    shown = values.whole("show", show, 0)
    if per_record is not None:
        from ratingpriv.report.per_record import check_suffix

        check_suffix(per_record)
    check_outputs({"output": output, "per-record": per_record}, force=force)
    if data is not None:
        if storing.store is not None or dataset is not None:
            raise ParameterError("data", data, "either DATA or --dataset (with --store), not both")
        result = _of_data(data, asked, reading, model, talk)
    else:
        result = _of_dataset(dataset, asked, storing, model, given, talk)
    if per_record is not None:
        write_per_record(result, per_record, force=force)
        talk.note(f"wrote {per_record}")
    if output is not None:
        if Path(output).suffix.lower() == ".txt":
            write_text(render(audit_page(result, show=shown)), output, force=force)
        else:
            write_json(result.to_dict(shown), output, force=force)
        talk.note(f"wrote {output}")
    if as_json:
        print_json(result.to_dict(shown))
    else:
        print_page(audit_page(result, show=shown), sys.stdout)
    return 0 if result.satisfied else 1


def _of_data(
    data: str, asked: dict[str, Any], reading: DataOptions, model: ModelOptions, talk: Talk
) -> AuditResult:
    """Read and audit a file."""
    from ratingpriv.audit import audit
    from ratingpriv.audit.verdict import check_parameters

    asked = {**asked, "nulls": model.nulls, "engine": model.engine}
    check_parameters(**asked)  # wrong usage is said before a long read
    threads, memory = model.resources()
    table = reading.read(data, talk)
    talk.detail(f"read {table!r}")
    with talk.progress() as progress:
        return audit(table, progress=progress, **asked, threads=threads, memory=memory)


def _of_dataset(
    dataset: str | None,
    asked: dict[str, Any],
    storing: StoreOptions,
    model: ModelOptions,
    given: Given,
    talk: Talk,
) -> AuditResult:
    """Audit a dataset in a graph store."""
    if dataset is None:
        raise ParameterError("data", None, "DATA, or --dataset NAME of a graph store")
    meant_for_files = {field.name for field in dataclasses.fields(DataOptions)} | {"threads", "memory"}
    unused = sorted(meant_for_files & given)
    if unused:
        option = unused[0].replace("_", "-")
        raise ParameterError(
            option,
            "with --dataset",
            f"no --{option}",
            "it was for ratingpriv ingest to say what the data are",
        )
    from ratingpriv.audit.stored import ENGINE, audit_stored
    from ratingpriv.audit.verdict import check_parameters

    if "engine" in given and model.engine != ENGINE:
        raise ParameterError("engine", model.engine, f"{ENGINE}, which audits a dataset in a graph store")
    check_parameters(**asked, nulls=model.nulls)
    with storing.open("read") as store, talk.progress() as progress:
        nulls = model.nulls if "nulls" in given else None
        return audit_stored(store, dataset, **asked, nulls=nulls, progress=progress)
