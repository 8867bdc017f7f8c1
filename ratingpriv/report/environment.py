"""What ``ratingpriv doctor`` found, as a page."""

from __future__ import annotations

from ratingpriv.report.doctor.environment import Environment
from ratingpriv.report.page import Page, Section, Table

__all__ = ["environment_page"]


def environment_page(environment: Environment) -> Page:
    """Return the page of this installation: whether everything works, what was tried, what is installed."""
    failed = sum(not check.works for check in environment.checks)
    checks = [
        ("ok" if check.works else "FAIL", f"{check.name}: {check.seen}") for check in environment.checks
    ]
    installed = [
        *environment.facts.items(),
        *((name, version or "MISSING") for name, version in environment.versions.items()),
        ("loaders", ", ".join(environment.loaders) or "none"),
        ("generators", ", ".join(environment.generators) or "none"),
    ]
    return Page(
        headline=f"{failed} of {len(checks)} checks failed." if failed else "Everything works.",
        sections=(
            Section("What was checked", (Table(("", "check"), tuple(checks), (False, False)),)),
            Section("What is installed", (Table(("", "version"), tuple(installed), (False, False)),)),
        ),
        good=not failed,
    )
