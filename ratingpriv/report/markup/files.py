"""A result as a file: the suffix of its name says what is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

    from ratingpriv.report.page import Page

_SUFFIXES = (".html", ".pdf", ".md", ".txt", ".json")
_ROWS = ".csv"


def check_result_file(
    path: str | Path, *, rows: bool, instead: str = "", more: tuple[str, ...] = ()
) -> None:
    """Refuse early a file of which its name does not say what it is,
    or that could not be made here.

    Parameters
    ----------
    rows : whether the result has rows for a .csv
    instead : if it has none, what to use
    more : suffixes that the caller writes itself

    Raises
    ------
    ParameterError
        Another suffix; or .pdf, and there is no browser that prints it.
    """
    suffix = _suffix(path)
    suffixes = (*_SUFFIXES, *((_ROWS,) if rows else ()), *more)
    if suffix not in suffixes:
        remedy = instead if suffix == _ROWS else ""
        raise ParameterError(
            "output",
            str(path),
            f"a file name ending in {', '.join(suffixes[:-1])} or {suffixes[-1]}",
            remedy,
        )
    if suffix == ".pdf":
        from ratingpriv.report.markup.pdf import browser

        browser()


def check_folder_name(path: str | Path) -> None:
    """Refuse early a folder whose name is a file's: who writes ``-o x.html`` expects a page."""
    path = Path(path)
    if path.suffix.lower() in (*_SUFFIXES, _ROWS, ".parquet", ".svg", ".png") and not path.exists():
        raise ParameterError(
            "output", str(path), "the name of a folder: several files are written there"
        )


def write_result(
    path: str | Path,
    content: Mapping[str, Any],
    page: Callable[[], Page],
    frame: Callable[[], pl.DataFrame] | None,
    *,
    force: bool = False,
    private: bool = False,
    csv_safe: bool = True,
) -> None:
    """Write a result as its name's suffix says: its JSON, its page, or its rows.

    Parameters
    ----------
    content : its JSON contract
    page, frame : make its page, and its rows; None: it has none
    private : whether it names records; the file is then the user's alone
    csv_safe : as :func:`ratingpriv.report.tables.write_frame`
    """
    from ratingpriv.report.as_json import write_json
    from ratingpriv.report.plain import write_text

    check_result_file(path, rows=frame is not None, more=() if frame is None else (".parquet",))
    match _suffix(path):
        case ".json":
            write_json(dict(content), path, force=force, private=private)
        case ".txt":
            from ratingpriv.report.text import render

            write_text(render(_signed(page(), content)), path, force=force, private=private)
        case ".md":
            from ratingpriv.report.markup.markdown import markdown

            write_text(markdown(_signed(page(), content)), path, force=force, private=private)
        case ".html":
            write_text(_html(content, page()), path, force=force, private=private)
        case ".pdf":
            from ratingpriv.report.markup.pdf import print_pdf

            print_pdf(_html(content, page()), path, force=force, private=private)
        case _ if frame is not None:
            from ratingpriv.report.tables import write_frame

            write_frame(frame(), path, csv_safe=csv_safe, force=force, private=private)


def _signed(page: Page, content: Mapping[str, Any]) -> Page:
    """Return the page with the command that made it: a file is read by whoever did not type it."""
    from ratingpriv.report.page import Command, Section

    typed = content["tool"].get("command")
    items = (
        f"By ratingpriv {content['tool']['version']}:",
        *(() if typed is None else (Command(typed),)),
    )
    return replace(page, sections=(*page.sections, Section("How this was made", items)))


def _html(content: Mapping[str, Any], page: Page) -> str:
    """Return the page as a document, with the picture that its result has."""
    from ratingpriv.report.markup.html import document, fragment
    from ratingpriv.report.pictures import kinds, svg

    picture = f"<figure>{svg(content)}</figure>" if kinds(content) else ""
    return document(page.headline, fragment(_signed(page, content), picture=picture))


def _suffix(path: str | Path) -> str:
    """Return the suffix that says what is written; a device or a pipe has none and gets JSON."""
    path = Path(path)
    return path.suffix.lower() or (".json" if path.exists() and not path.is_file() else "")
