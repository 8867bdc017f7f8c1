"""A page as semantic HTML, and one self-contained document around it, for a screen,
a phone and A4.
"""

from __future__ import annotations

import base64
import functools
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

from ratingpriv.report.page import Command, Page, Section, Table
from ratingpriv.report.plain import printable, sentence
from ratingpriv.report.templating import html_template

_VERDICTS = {None: "", True: " good", False: " bad"}  # the headline says it in words, too


def fragment(page: Page, *, level: int = 1, picture: str = "") -> str:
    """Return the page as an ``<article>`` that may stand in any document; what it says is escaped.

    Control characters of the data are escaped as on a terminal, everything else as HTML. A sentence
    that ends with a colon is the caption of the table that follows it, and a command stands in the
    item before it.

    ``level`` : of the headline, sections have the next one; ``picture`` : HTML that stands before
    the first section, such as a ``<figure>``
    """
    return html_template("page.html.jinja").render(
        level=level,
        picture=picture,
        verdict=_VERDICTS[page.good],
        headline=printable(page.headline),
        explanation=[printable(sentence(paragraph)) for paragraph in page.explanation],
        sections=[
            (printable(section.title), list(blocks(section)))
            for section in page.sections
            if section.items
        ],
    )


def document(title: str, body: str, *, style: str = "", script: str = "") -> str:
    """Return a whole document that loads nothing and runs nothing but ``script``.

    Its policy (CSP) allows no request at all: pictures are inline SVG or ``data:``, style is inline
    (SVG and ``style`` attributes need that), and of scripts only the one whose SHA-256 it names.
    Nothing in it depends on the day or the machine: the same arguments give the same bytes.

    Parameters
    ----------
    title : text, escaped here
    body : HTML, such as :func:`fragment`; its headline is the ``<h1>``
    style, script : CSS added to the document's own, JavaScript at the end of the body: files of
        ours, taken as they are
    """
    policy = ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        policy.append(f"script-src 'sha256-{digest}'")
    page = html_template("document.html.jinja").render(
        title=printable(title),
        body=body,
        style=_style() + style,
        script=script,
        policy="; ".join([*policy, "base-uri 'none'", "form-action 'none'"]),
    )
    return f"{page}\n"


@functools.cache
def _style() -> str:
    return resources.files(__package__).joinpath("document.css").read_text(encoding="utf-8")


# ---- items in the order in which markup nests them: lists whose items have commands, and tables
# ----


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a list: a sentence, None before the first one,
    and the command lines it introduces.
    """

    text: str | None
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TitledTable:
    """A table, and what it shows: the sentence that introduces it, else the title of its section.

    ``introduced`` : whether that is a sentence, which stands nowhere else
    """

    table: Table
    caption: str
    introduced: bool


Block = tuple[Entry, ...] | TitledTable
"""A list, or a table."""


def blocks(section: Section) -> Iterator[Block]:
    """Yield the section's lists and tables in order, every text made printable."""
    entries: list[Entry] = []
    for item in section.items:
        if isinstance(item, Table):
            caption = _introduction(entries)
            if entries:
                yield tuple(entries)
                entries = []
            title = printable(section.title) if caption is None else caption
            yield TitledTable(_printable(item), title, caption is not None)
        elif isinstance(item, Command):
            last = entries.pop() if entries else Entry(None)
            entries.append(Entry(last.text, (*last.commands, printable(item.line))))
        else:
            entries.append(Entry(printable(sentence(item))))
    if entries:
        yield tuple(entries)


def _introduction(entries: list[Entry]) -> str | None:
    """Take the sentence that introduces a table, which ends with a colon,
    out of the list before it.
    """
    if not entries or entries[-1].commands or not (entries[-1].text or "").endswith(":"):
        return None
    return entries.pop().text


def _printable(table: Table) -> Table:
    return Table(_texts(table.columns), tuple(map(_texts, table.rows)), table.right)


def _texts(cells: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(printable, cells))
