"""A page as semantic HTML: headings, lists, commands, tables; nothing that says how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.report.markup.blocks import blocks
from ratingpriv.report.plain import printable, sentence
from ratingpriv.report.templating import html_template

if TYPE_CHECKING:
    from ratingpriv.report.page import Page

_VERDICTS = {None: "", True: " good", False: " bad"}  # the headline says it in words, too


def fragment(page: Page, *, level: int = 1, picture: str = "") -> str:
    """Return the page as an ``<article>`` that may stand in any document; what it says is escaped.

    Control characters of the data are escaped as on a terminal, everything else as HTML. A sentence that
    ends with a colon is the caption of the table that follows it, and a command stands in the item before it.

    ``level`` : of the headline, sections have the next one; ``picture`` : HTML that stands before the first
    section, such as a ``<figure>``
    """
    return html_template("page.html.jinja").render(
        level=level,
        picture=picture,
        verdict=_VERDICTS[page.good],
        headline=printable(page.headline),
        explanation=[printable(sentence(paragraph)) for paragraph in page.explanation],
        sections=[
            (printable(section.title), list(blocks(section))) for section in page.sections if section.items
        ],
    )
