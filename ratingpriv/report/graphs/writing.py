"""A picture of an answer as a file: SVG, or an HTML page that says what each node is."""

from __future__ import annotations

from pathlib import Path

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.files import check_writable
from ratingpriv.report.graphs.elements import Picture

__all__ = ["check_picture", "write_picture"]


def check_picture(path: str | Path, *, force: bool = False) -> str:
    """Refuse early a picture that could not be written; return its suffix, in lower case.

    Raises
    ------
    ParameterError, OutputError
        The name does not end in .svg or .html; as :func:`ratingpriv.base.files.check_writable`.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".svg", ".html"):
        raise ParameterError("picture", str(path), "a file name ending in .svg or .html")
    check_writable(path, force=force)
    return suffix


def write_picture(picture: Picture, path: str | Path, *, force: bool = False) -> None:
    """Write a picture to ``path``, for the user alone; errors as :func:`check_picture`."""
    from ratingpriv.report.graphs.document import html
    from ratingpriv.report.graphs.drawing import svg
    from ratingpriv.report.plain import write_text

    suffix = check_picture(path, force=force)
    write_text(html(picture) if suffix == ".html" else svg(picture), path, force=force, private=True)
