"""Build the site: ``python -m website.build`` in docs/, or ``make docs``."""

from __future__ import annotations

import sys

from sphinx.cmd.build import main as sphinx

from website.staging import ROOT, stage

__all__ = ["build"]


def build() -> int:
    """Write the site to ``.cache/site/html``; return Sphinx's exit code, 1 for any warning."""
    place = ROOT / ".cache" / "site"
    stage(place / "pages")
    settings = ["-W", "--keep-going", "-q", "-j", "auto", "-b", "html", "-c", str(ROOT / "docs" / "website")]
    code = sphinx([*settings, "-d", str(place / "trees"), str(place / "pages"), str(place / "html")])
    said = place / "html" / "index.html" if code == 0 else "the site has warnings, each of which is an error"
    sys.stdout.write(f"{said}\n")
    return code


if __name__ == "__main__":
    sys.exit(build())
