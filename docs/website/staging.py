"""The pages of the site as they stand in the repository,
with the generated reference among them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from website import commands, contracts, failures, graph_schema, python, queries

__all__ = ["GENERATED", "ROOT", "listed", "sources", "stage"]

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {
    "commands": commands.pages,
    "python": python.pages,
    "schemas": contracts.pages,
    "cypher": queries.pages,
    "graph": graph_schema.pages,
    "errors": failures.pages,
}
"""The folders below docs/reference that are written from the program."""

WRITTEN_BY_THE_PROGRAM = """
## Written by the program

* [Command line](commands/index.md): every command, option and panel
* [Python](python/index.rst): functions, results, packages
* [JSON Schemas](schemas/index.md): every contract, key by key
* [Cypher library](cypher/index.md): every query, from its header
* [Graph](graph/index.md): every label, relationship type and property
* [Errors and exit codes](errors/index.md): the words that programs see
"""
"""What the reference's index says of them, on the site only: in the repository they are not
there.
"""

_TARGET = re.compile(r"\]\(([^)#\s:]+)[)#]")
_LINK = re.compile(r"\]\(([^)#\s:]+\.(?:md|rst))\)")


def sources(root: Path = ROOT) -> Iterator[Path]:
    """Yield what the site shows of the repository: its pages, and the files that they link."""
    rooms = ("docs", "docker", "examples", "benchmarks")
    pages = [
        *root.glob("*.md"),
        *(one for room in rooms for one in sorted((root / room).rglob("*.md"))),
    ]
    yield from pages
    linked = {
        (page.parent / target).resolve()
        for page in pages
        for target in _TARGET.findall(page.read_text("utf-8"))
    }
    yield from sorted(
        path for path in linked - set(pages) if path.is_file() and path.is_relative_to(root)
    )


def stage(folder: Path, root: Path = ROOT) -> None:
    """Write every page below ``folder``, at its place in the repository."""
    shutil.rmtree(folder, ignore_errors=True)
    for path in sources(root):
        target = folder / path.relative_to(root)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    with (folder / "docs" / "reference" / "index.md").open("a", encoding="utf-8") as index:
        index.write(WRITTEN_BY_THE_PROGRAM)
    for room, pages in GENERATED.items():
        inside = folder / "docs" / "reference" / room
        inside.mkdir(parents=True)
        for name, text in pages().items():
            (inside / name).write_text(text, encoding="utf-8")


def listed(text: str) -> list[tuple[str, list[str]]]:
    """Return the pages that an index links in lists and tables, by their headings:
    the site's contents.
    """
    found: list[tuple[str, list[str]]] = []
    seen: set[str] = set()
    for part in re.split(r"^##? ", text, flags=re.MULTILINE):
        heading, _, rest = part.partition("\n")
        entries = "".join(
            line for line in rest.splitlines(keepends=True) if line.startswith(("* ", "  ", "| ["))
        )
        links = [one for one in dict.fromkeys(_LINK.findall(entries)) if one not in seen]
        seen.update(links)
        if links:
            found.append((heading.strip(), links))
    return found
