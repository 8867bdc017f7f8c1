"""Make one figure of the papers."""

from typing import Any

from ratingpriv.studies.papers.reproducing import making

__all__ = ["run"]


def run(figure: Any, setting: Any) -> Any:
    (found,) = making([figure], setting, needed=True)
    return found
