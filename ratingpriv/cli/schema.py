"""``ratingpriv schema``: the JSON contracts, as JSON Schema."""

from __future__ import annotations

import json
import sys
from typing import Annotated

from typer import Argument

__all__ = ["run"]


def run(
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
    from ratingpriv.documents import schema, schemas

    if name is None:
        listed = schemas()
        width = max(map(len, listed))
        sys.stdout.write("".join(f"{one.ljust(width)}  {what}\n" for one, what in listed.items()))
    else:
        sys.stdout.write(json.dumps(schema(name), indent=2) + "\n")
    return 0
