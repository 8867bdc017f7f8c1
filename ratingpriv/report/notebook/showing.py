"""A result as the HTML that a notebook shows."""

from __future__ import annotations

import html

from ratingpriv.report.notebook.pages import page_of
from ratingpriv.report.text import render

__all__ = ["html_of"]


def html_of(result: object) -> str:
    """Return the page of a result, or of a table, as HTML; texts of the data are escaped."""
    return f"<pre>{html.escape(render(page_of(result)))}</pre>"
