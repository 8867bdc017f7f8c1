"""One self-contained HTML document around a body: its style, its policy, for a screen, a phone and A4."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from importlib import resources
from typing import TYPE_CHECKING

from ratingpriv.base.escaping import printable

if TYPE_CHECKING:
    from jinja2 import Template

_DOCUMENT = """\
<!DOCTYPE html>
<html lang="{{ lang }}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{ policy }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="ratingpriv">
<title>{{ title }}</title>
<style>{{ style|safe }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content" tabindex="-1">
{{ body|safe }}
</main>
{% if script %}<script>{{ script|safe }}</script>
{% endif -%}
</body>
</html>
"""

_ENDS_SCRIPT = re.compile(r"</script|<!--", re.IGNORECASE)
_ENDS_STYLE = re.compile(r"</style|<!--", re.IGNORECASE)


def document(title: str, body: str, *, style: str = "", script: str = "", lang: str = "en") -> str:
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
    lang : of the text

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
    return _template().render(
        title=printable(title), body=body, style=style, script=script, lang=lang, policy=_policy(script)
    )


def _policy(script: str) -> str:
    allowed = ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]
    if script:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        allowed.append(f"script-src 'sha256-{digest}'")
    return "; ".join([*allowed, "base-uri 'none'", "form-action 'none'"])


def _one_line_end(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@functools.cache
def _style() -> str:
    return resources.files(__package__).joinpath("document.css").read_text(encoding="utf-8")


@functools.cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True).from_string(
        _DOCUMENT
    )
