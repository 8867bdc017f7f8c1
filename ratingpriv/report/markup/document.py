"""One self-contained HTML document around a body: its style, its policy, for a screen, a phone and A4."""

from __future__ import annotations

import functools
from importlib import resources

from ratingpriv.base.escaping import printable
from ratingpriv.report.templating import html_template


def document(title: str, body: str, *, style: str = "") -> str:
    """Return a whole document that loads nothing and runs nothing.

    Its policy (CSP) allows no request and no script at all: pictures are inline SVG or ``data:``, style is
    inline (SVG and ``style`` attributes need that). Nothing in it depends on the day or the machine: the same
    arguments give the same bytes.

    Parameters
    ----------
    title : text, escaped here
    body : HTML, such as :func:`ratingpriv.report.markup.html.fragment`; its headline is the ``<h1>``
    style : CSS added to the document's own
    """
    page = html_template("document.html.jinja")
    return page.render(title=printable(title), body=body, style=_style() + style) + "\n"


@functools.cache
def _style() -> str:
    return resources.files(__package__).joinpath("document.css").read_text(encoding="utf-8")
