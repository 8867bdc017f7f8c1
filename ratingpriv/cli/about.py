"""What is installed: ``ratingpriv version``, ``schema`` (the JSON contracts), and ``doctor``."""

from __future__ import annotations

import json
import sys

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.provenance import VERSION
from ratingpriv.cli import options
from ratingpriv.cli.options.values import argument, option
from ratingpriv.cli.output.invocation import answer


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
    name: str | None = argument("A contract, such as audit; else all are listed.", metavar="NAME"),
    keys: bool = option(
        "One line per key instead: its path, its type and its meaning.", default=False
    ),
) -> int:
    """Print the JSON Schema of what --json prints.

    Without NAME, lists the JSON contracts: results, errors, and the files that go with a release.

    Examples
    --------
    ratingpriv schema
    ratingpriv schema audit
    ratingpriv schema audit --keys
    """
    from ratingpriv import documents

    if name is None and keys:
        expected = "a contract, as in ratingpriv schema audit --keys"
        raise ParameterError("keys", "no NAME", expected, "ratingpriv schema lists them")
    if keys:
        from ratingpriv.report.contracts import keys_text

        sys.stdout.write(keys_text(str(name)))
    elif name is None:
        listed = documents.schemas()
        width = max(map(len, listed))
        sys.stdout.write(
            "".join(f"{title.ljust(width)}  {what}\n" for title, what in listed.items())
        )
    else:
        sys.stdout.write(json.dumps(documents.schema(name), indent=2) + "\n")
    return 0


def doctor(as_json: bool = options.AS_JSON, *, storing: options.Store) -> int:
    """Check that everything needed is installed and computes correctly.

    Examines versions, loaders, the compiler and its cache, works an example of the papers, and
    tries the graph stores that the environment or --store names, and Spark where it is installed;
    changes nothing. Exits with 0 if everything works and 3 if something does not.

    Examples
    --------
    ratingpriv doctor
    ratingpriv doctor --json
    """
    from ratingpriv.graph.address import parse_address
    from ratingpriv.report.doctor import examine
    from ratingpriv.report.pages import page_of

    if storing.store is not None:
        parse_address(storing.store)  # wrong usage is reported at once
    environment = examine(storing.store)
    answer(environment.to_dict(), lambda: page_of(environment), as_json=as_json)
    return 0 if environment.healthy else 3
