"""One self-contained HTML document around a body: its style, its policy, for a screen, a phone and A4."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from importlib import resources

from ratingpriv.base.escaping import printable
from ratingpriv.report.templating import html_template

_ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)
_ENDS_STYLE = re.compile(r"</style|<!--", re.IGNORECASE)


def document(title: str, body: str, *, style: str = "", script: str = "") -> str:
    r"""Return a whole document that loads nothing and runs nothing but ``script``.

    Its policy (CSP) allows no request at all: pictures are inline SVG or ``data:``, style is inline (SVG and
    ``style`` attributes need that), and of scripts only the one whose SHA-256 it names. Nothing in it depends
    on the day or the machine: the same arguments give the same bytes.

    Parameters
    ----------
    title : text, escaped here
    body : HTML, such as :func:`ratingpriv.report.markup.html.fragment`; its headline is the ``<h1>``
    style : CSS added to the document's own
    script : JavaScript at the end of the body; data in it are JSON with ``<`` written as ``\u003c``

    Raises
    ------
    ValueError
        ``style`` or ``script`` would end its element.
    """
    script = _one_line_end(script)  # as a browser reads it: the hash is of that
    style = _one_line_end(_style() + style)
    for name, text, ends in (("script", script, _ENDS_SCRIPT), ("style", style, _ENDS_STYLE)):
        if ends.search(text):
            raise ValueError(f"`{name}` has text that would end its element; write < as an escape")
    policy = ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        policy.append(f"script-src 'sha256-{digest}'")
    return (
        html_template("document.html.jinja").render(
            title=printable(title),
            body=body,
            style=style,
            script=script,
            policy="; ".join([*policy, "base-uri 'none'", "form-action 'none'"]),
        )
        + "\n"
    )


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@functools.cache
def _style() -> str:
    return resources.files(__package__).joinpath("document.css").read_text(encoding="utf-8")
