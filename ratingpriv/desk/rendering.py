"""The desk's templates: what the data say is escaped, its control characters as on a terminal."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from ratingpriv.base.escaping import printable
from ratingpriv.base.numbers import in_full
from ratingpriv.base.reservations import FOUND_AT_MOST
from ratingpriv.data.codebook.roles import ROLES
from ratingpriv.report import plain

_PARAMETER = re.compile(r" \(`[^`]*`\)")
"""How the library names a parameter, of which the desk has none."""


def render(name: str, context: Mapping[str, Any]) -> str:
    """Return the page of a template."""
    return _environment().get_template(f"{name}.jinja").render(context)


@functools.cache
def _environment() -> Environment:
    jinja = Environment(
        loader=PackageLoader("ratingpriv.desk", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=plain.of_data,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.globals |= {"LIMIT": FOUND_AT_MOST, "ROLES": ROLES}
    jinja.filters |= {
        "at_most": plain.at_most,
        "full": in_full,
        "grouped": lambda value: f"{value:,}",
        "lines": lambda text: Markup("\n").join(
            escape(printable(line)) for line in text.splitlines()
        ),
        "percent": plain.percent,
        "plainly": lambda text: _PARAMETER.sub("", text),
        "query": urlencode,
        "sentence": plain.sentence,
    }
    return jinja
