"""A result as the HTML that a notebook shows: its page in Python's words, without ids,
and its picture.

A notebook gets shared. So nobody is listed, whatever the command line lists; and what a page says
of options and of the next commands is for a shell, so options become parameters, and commands are
left out.
"""

from __future__ import annotations

import dataclasses
import functools
import html
import re
from pathlib import Path

from ratingpriv.report.markup.html import fragment
from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.pages import page_of

_FOR_A_SHELL = frozenset(("Next",))
_OPTION = re.compile(
    r"(?<![\w`-])--(?P<name>[a-z]+(?:-[a-z]+)*)(?: (?P<value>\d[\d.]*\d|\d|(?:"
    r"ignore|paper|strict|wildcard|median|metric|rounded)\b))?"
)
_CALLED = {"seed": "rng"}


def html_of(result: object) -> str:
    """Return the page of a result, or of a table,
    as HTML that brings its own style and nothing else.

    It takes the colours of what is around it, light or dark, and shows no script. Texts of the data
    are escaped. A notebook that is not trusted shows it without the style.
    """
    html_text = fragment(in_python(page_of(result)), level=3)
    before, section, after = html_text.partition(
        "<section>"
    )  # texts are escaped: no other one is there
    style = f"<style>\n{_style()}</style>"
    return f'<div class="ratingpriv">\n{style}\n{before}{_picture(result)}{section}{after}\n</div>'


def _picture(result: object) -> str:
    """Return the picture of what was asked for, with its caption; nothing where there is none."""
    from ratingpriv.report.pictures import caption, kinds, svg

    if not hasattr(result, "to_dict") or not kinds(result):
        return ""
    caption_text = html.escape(caption(result))
    return f"<figure>\n{svg(result)}\n<figcaption>{caption_text}</figcaption>\n</figure>\n"


@functools.cache
def _style() -> str:
    return Path(__file__).with_name("notebook.css").read_text(encoding="utf-8")


def in_python(page: Page) -> Page:
    """Return a page as a notebook shows it."""
    return dataclasses.replace(
        page,
        headline=_in_python(page.headline),
        explanation=tuple(map(_in_python, page.explanation)),
        sections=tuple(
            _section(section) for section in page.sections if section.title not in _FOR_A_SHELL
        ),
    )


def _section(section: Section) -> Section:
    items: list[str | Command | Table] = [
        _in_python(item) if isinstance(item, str) else item
        for item in section.items
        if not isinstance(item, Command) and not (isinstance(item, str) and "--show" in item)
    ]
    return Section(section.title, tuple(items))


def _in_python(text: str) -> str:
    """Return a sentence with the parameters of the library instead of options."""
    return _OPTION.sub(_parameter, text)


def _parameter(match: re.Match[str]) -> str:
    name, value = match["name"].replace("-", "_"), match["value"]
    written = "" if value is None else f"={value}" if value[0].isdigit() else f"={value!r}"
    return f"`{_CALLED.get(name, name)}{written}`"
