"""``ratingpriv desk``: the pages for whoever has no command line."""

from __future__ import annotations

from pathlib import Path

from ratingpriv.base.errors import ParameterError
from ratingpriv.cli.options.values import file_argument, option
from ratingpriv.cli.output.reporter import note, wrote


def run(
    file: str | None = file_argument("A file of ratings; else it is chosen there.", metavar="FILE"),
    *,
    port: int = option("Port on 127.0.0.1; 0: any that is free.", 0, min=0, max=65535),
    no_browser: bool = option("Open no browser; print the link only."),
    shortcut: bool = option("Write a file that starts the desk by a double click, and exit."),
) -> int:
    """Open the desk: columns, protection, release and neighbours as pages in your browser.

    Only this machine can reach it. Saves a codebook, releases and their keys beside FILE, or in the
    current folder. Ends by its button, Ctrl-C or after 30 minutes without a click. Exits with 0.

    Examples
    --------
    ratingpriv desk survey.csv
    ratingpriv desk --shortcut
    """
    from ratingpriv.desk import Desk, write_shortcut

    if shortcut:
        wrote(write_shortcut(next(filter(Path.is_dir, (Path.home() / "Desktop", Path.cwd())))))
        return 0
    if file is not None and not Path(file).exists():
        raise ParameterError("file", file, "a file that is there")
    desk = Desk(file, port)
    print(desk.link, flush=True)  # noqa: T201
    note(
        "the desk is open; the link works once, on this machine; Ctrl-C or closing this window "
        "ends it"
    )
    desk.serve(browse=not no_browser)
    return 0
