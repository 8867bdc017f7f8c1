"""``ratingpriv doctor``: whether everything needed is installed and computes correctly."""

from __future__ import annotations

import sys

from ratingpriv.cli.options.general import GlobalOptions, JsonOption
from ratingpriv.cli.options.graph import StoreOptions
from ratingpriv.cli.output.results import print_json

__all__ = ["run"]


def run(as_json: JsonOption = False, *, storing: StoreOptions, general: GlobalOptions) -> int:
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
    from ratingpriv.doctor.environment import examine
    from ratingpriv.graph.address import parse_address
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
