"""Build the site: ``python -m website.build`` in docs/, or ``make docs``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from sphinx.cmd.build import main as sphinx

from website.staging import ROOT, stage

__all__ = ["build", "fetched"]

_FETCHED = re.compile(
    r"<(?:script|img|iframe|link)\b[^>]*\b(?:src|href)=\"(?:https?:)?//[^\"]*\"[^>]*>"
)


def fetched(folder: Path) -> Iterator[str]:
    """Yield what the pages of the site would fetch from elsewhere.

    A link to follow is no such thing.
    """
    for page in sorted(folder.rglob("*.html")):
        for tag in _FETCHED.findall(page.read_text(encoding="utf-8")):
            yield f"{page.relative_to(folder)}: {tag}"


def build() -> int:
    """Write the site to ``.cache/site/html``.

    Return 0, or 1 for any warning and anything it would fetch.
    """
    place = ROOT / ".cache" / "site"
    stage(place / "pages")
    settings = [
        "-W",
        "--keep-going",
        "-q",
        "-j",
        "auto",
        "-b",
        "html",
        "-c",
        str(ROOT / "docs" / "website"),
    ]
    code = sphinx(
        [*settings, "-d", str(place / "trees"), str(place / "pages"), str(place / "html")]
    )
    elsewhere = list(fetched(place / "html"))
    if code or elsewhere:
        sys.stdout.write(
            "\n".join([*elsewhere, "the site has warnings, each of which is an error\n"])
        )
        return 1
    sys.stdout.write(f"{place / 'html' / 'index.html'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(build())
