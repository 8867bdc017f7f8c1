"""One report of everything that was measured: a page of JSON documents,
for the team or for anybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratingpriv.base.lazy import offer as _offer
from ratingpriv.report.overview.overview import THRESHOLD, report_html, write_report

if TYPE_CHECKING:
    from ratingpriv.report.overview.measuring import Measuring as Measuring
    from ratingpriv.report.overview.measuring import report as report

__all__ = ["THRESHOLD", "Measuring", "report", "report_html", "write_report"]

__getattr__ = _offer(
    __name__, dict.fromkeys(("Measuring", "report"), "ratingpriv.report.overview.measuring")
)
