"""A result as the HTML that a notebook shows: its page, and its picture where there is one."""

from __future__ import annotations

import functools
import html
from pathlib import Path

from ratingpriv.report.markup.html import fragment
from ratingpriv.report.notebook.pages import page_of

__all__ = ["html_of"]


def html_of(result: object) -> str:
    """Return the page of a result, or of a table, as HTML that brings its own style and nothing else.

    It takes the colours of what is around it, light or dark, and shows no script. Texts of the data are
    escaped. A notebook that is not trusted shows it without the style.
    """
    said = fragment(page_of(result), level=3)
    before, section, after = said.partition("<section>")  # texts are escaped: no other one is there
    style = f"<style>\n{_style()}</style>"
    return f'<div class="ratingpriv">\n{style}\n{before}{_picture(result)}{section}{after}\n</div>'


def _picture(result: object) -> str:
    """Return the picture of what was asked for, with its caption; nothing where there is none."""
    from ratingpriv.report.pictures import caption, kinds, svg

    if not hasattr(result, "to_dict") or not kinds(result):
        return ""
    return f"<figure>\n{svg(result)}\n<figcaption>{html.escape(caption(result))}</figcaption>\n</figure>\n"


@functools.cache
def _style() -> str:
    return Path(__file__).with_name("notebook.css").read_text(encoding="utf-8")
