"""What is installed: ``ratingpriv version``, ``schema`` (the JSON contracts), and ``doctor``."""

from __future__ import annotations

import json
import sys
from typing import Annotated

from typer import Argument

from ratingpriv.base.provenance import VERSION
from ratingpriv.cli.options.general import GlobalOptions, JsonOption
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.output.results import print_json

__all__ = ["doctor", "schema", "version"]


def version() -> int:
    """Print the version.

    Examples
    --------
    ratingpriv version
    ratingpriv --version
    """
    sys.stdout.write(f"ratingpriv {VERSION}\n")
    return 0


def schema(
    name: Annotated[
        str | None,
        Argument(
            metavar="NAME", help="A contract, such as audit or ratingpriv.audit/1; else all are listed."
        ),
    ] = None,
) -> int:
    """Print the JSON Schema of what --json prints.

    Without NAME, lists the JSON contracts: results, errors, and the files that go with a release.

    Examples
    --------
    ratingpriv schema
    ratingpriv schema audit
    """
    from ratingpriv import documents

    if name is None:
        listed = documents.schemas()
        width = max(map(len, listed))
        sys.stdout.write("".join(f"{title.ljust(width)}  {what}\n" for title, what in listed.items()))
    else:
        sys.stdout.write(json.dumps(documents.schema(name), indent=2) + "\n")
    return 0


def doctor(as_json: JsonOption = False, *, storing: StoreOptions, general: GlobalOptions) -> int:
    """Check that everything needed is installed and computes correctly.

    Examines versions, loaders, the compiler and its cache, works an example of the papers, and tries the
    graph stores that the environment or --store names; nothing is made or changed in them. Where pyspark is
    installed, it starts a session of Spark for a moment.

    Exits with 0 if everything works and 3 if something does not.

    Examples
    --------
    ratingpriv doctor
    ratingpriv doctor --json
    """
    from ratingpriv.graph.address import parse_address
    from ratingpriv.report.doctor.environment import examine
    from ratingpriv.report.environment import environment_page
    from ratingpriv.report.text import print_page

    if storing.store is not None:
        parse_address(storing.store)  # wrong usage is reported at once
    environment = examine(storing.store)
    if as_json:
        print_json(environment.to_dict())
    else:
        print_page(environment_page(environment), sys.stdout)
    return 0 if environment.healthy else 3
