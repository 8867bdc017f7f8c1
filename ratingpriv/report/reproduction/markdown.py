"""Reproduced figures as a page in Markdown, beside their pictures."""

from __future__ import annotations

from collections.abc import Iterator

from ratingpriv.report.reproduction.page import verdicts
from ratingpriv.studies.papers.reproducing import Reproduced, Reproduction

__all__ = ["markdown"]


def markdown(result: Reproduction, command: str | None) -> str:
    """Return the page; ``command`` is what made it, where it was one."""
    made = f", by `{command}`" if command else ""
    quick = " A quick run, on a small grid and few records." if result.setting.quick else ""
    lines = [f"# The papers' figures\n\nSeed {result.setting.seed}{made}.{quick}\n"]
    lines += ["| figure | what | holds? |\n|---|---|---|\n"]
    for one in result.figures:
        said = "not made" if one.outcome is None else verdicts(list(one.outcome.judgements))
        lines += [f"| [{one.figure.name}](#{one.figure.name}) | {_cell(one.figure.title)} | {said} |\n"]
    for one in result.figures:
        lines += _section(one)
    return "".join(lines)


def _section(one: Reproduced) -> Iterator[str]:
    figure = one.figure
    yield f"\n## {figure.name}\n\n{figure.title} {figure.source}\n"
    if one.outcome is None:
        yield f"\nNot made: {one.reason}.\n"
        return
    yield f"\n![{figure.name}: {figure.title}]({figure.name}.svg)\n"
    yield "\n| panel | data | the paper | here | holds? | why |\n|---|---|---|---|---|---|\n"
    for judged in one.outcome.judgements:
        texts = (judged.panel, judged.data, judged.paper, judged.ours, judged.verdict, judged.why)
        yield "| " + " | ".join(map(_cell, texts)) + " |\n"
    if one.outcome.notes:
        yield "\n" + "".join(f"* {note}\n" for note in one.outcome.notes)


def _cell(text: str) -> str:
    return text.replace("|", r"\|").replace("\n", " ")
