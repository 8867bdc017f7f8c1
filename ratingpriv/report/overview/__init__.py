"""One report of everything that was measured: a page of JSON documents, for the team or for anybody."""

from __future__ import annotations

from ratingpriv.report.overview.overview import THRESHOLD, report_html

__all__ = ["THRESHOLD", "report_html"]
