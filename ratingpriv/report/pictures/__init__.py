"""Pictures of results, each drawn from the JSON contract: in axes, as a file,
or as SVG for a page.
"""

from __future__ import annotations

from ratingpriv.report.pictures.drawing import (
    PICTURES,
    caption,
    draw,
    finding,
    kinds,
    svg,
    write_picture,
)

__all__ = ["PICTURES", "caption", "draw", "finding", "kinds", "svg", "write_picture"]
