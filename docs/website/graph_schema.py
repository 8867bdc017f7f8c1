"""The page of labels and properties, and docs/graph-schema.svg:
``python -m website.graph_schema``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ratingpriv.graph.catalogue import catalogue, texts_of
from ratingpriv.graph.schema import LABELS, TYPES, Part
from website.markdown import bullets, escaped, table

__all__ = ["FOLDER", "keys", "pages", "picture"]

FOLDER = Path(__file__).resolve().parents[1]

_PAGE = """# Labels, relationship types and properties

All that `ratingpriv ingest`, runs and releases write into a store. [The schema of the
graph](../../graph-schema.md) has the picture and says why PROXIMATE is matched without its arrow. A
type with `?` is of a property that may be absent.

"""

_MARKS = """## Marks

Some queries leave labels and properties on records, which say nothing of the data: `browse/mark`
until `browse/unmark`.

"""

_KEYS = """
## Keys and indexes

Community Edition has one database, so every node but Dataset and Load has the name of its dataset,
and an index on it. On Neo4j, where a key has several properties, a constraint keeps it; the
embedded store has an index on the last of them, and the load sees to it that nothing comes twice.

"""


def pages() -> dict[str, str]:
    """Return the text of the page, by its file's name."""
    out = [_PAGE, "## Nodes\n\n", *map(_section, LABELS.values())]
    out += ["## Relationships\n\n", *map(_section, TYPES.values())]
    return {"index.md": "".join([*out, _MARKS, bullets(_marks()), _KEYS, _indexes()])}


def _section(part: Part) -> str:
    ends = f": `({part.ends[0]})-[:{part.name}]->({part.ends[1]})`" if part.ends else ""
    lines = [f"### {part.name}\n\n{escaped(part.meaning[0].upper() + part.meaning[1:])}{ends}.\n\n"]
    if part.properties:
        rows = [[f"`{one.name}`", f"`{one.type}`", escaped(one.meaning)] for one in part.properties]
        lines.append(table(["property", "type", "meaning"], rows) + "\n")
    return "".join(lines)


def _marks() -> Iterator[str]:
    """Give the queries that mark records, each with its marks."""
    found: dict[str, list[str]] = {}
    for name, one in catalogue().items():
        for mark in one.writes if not name.endswith(("/unmark", "/release-label")) else ():
            if re.match(r"Record[.:]", mark) and mark not in found.setdefault(name, []):
                found[name].append(mark)
    for name, marks in found.items():
        if marks:
            yield f"`{name}`: {', '.join(f'`{mark}`' for mark in marks)}"


def keys(engine: str) -> set[tuple[str, tuple[str, ...], bool]]:
    """Return the label and properties of each key (True) and index that an engine has."""
    found = set()
    for name in catalogue():
        texts = texts_of(name) if name.startswith("schema/") else {}
        text = texts.get(engine, texts.get(None))
        if text is not None and (match := _MADE.search(text.statement)) is not None:
            names = tuple(re.findall(r"\w+\.(\w+)", match["on"]))
            found.add((match["label"], names, "UNIQUE" in match["on"]))
    return found


_MADE = re.compile(
    r"CREATE (?:INDEX|CONSTRAINT).* FOR \(\w+:(?P<label>\w+)\) (?:ON|REQUIRE) (?P<on>.*)"
)


def _indexes() -> str:
    rows = []
    for label in LABELS:
        cells = [_said(keys(engine), label) for engine in ("neo4j", "embedded")]
        rows += [[f"`{label}`", *cells]] if any(cells) else []
    return table(["label", "Neo4j", "embedded"], rows)


def _said(found: set[tuple[str, tuple[str, ...], bool]], label: str) -> str:
    own = sorted((not unique, names) for one, names, unique in found if one == label)
    return ", ".join(f"`{', '.join(names)}`{'' if other else ' unique'}" for other, names in own)


_PLACES = {
    "Dataset": (90, 60), "Release": (90, 180), "Load": (90, 300), "HammingGroup": (330, 60),
    "Record": (480, 180), "Issue": (630, 60), "Clique": (330, 300), "Run": (480, 320),
    "ReleasedRecord": (680, 240), "SwapGroup": (630, 340),
}  # fmt: skip
_COLOURS = {
    "Record": "#6C8EBF", "ReleasedRecord": "#2CA02C", "HammingGroup": "#A9B4C4", "Issue": "#C9A93C",
    "Clique": "#9467BD", "Release": "#1B6B1B", "SwapGroup": "#E08214",
}  # fmt: skip
_RADIUS = 26
_STYLE = """.back{fill:#fff}.ink{fill:#1d2126}
text{font-family:system-ui,sans-serif;text-anchor:middle}
.ink{paint-order:stroke;stroke:#fff;stroke-width:4px}
path{fill:none;stroke:#7a8694;stroke-width:1.6}
@media (prefers-color-scheme:dark){.back{fill:#15181b}.ink{fill:#e6e8ea;stroke:#15181b}}"""


def picture() -> str:
    """Return the picture: a circle a label, an arrow a type."""
    out = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 780 400" role="img">',
        "<title>Labels and relationship types of the graph</title>",
        f'<style>{_STYLE}</style><rect class="back" width="100%" height="100%"/>',
        '<marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8" fill="none"/></marker>',
    ]
    for part in TYPES.values():
        out += _arrow(part)
    for label, (x, y) in _PLACES.items():
        out.append(
            f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" fill="{_COLOURS.get(label, "#56606b")}"/>'
        )
        out.append(
            f'<text class="ink" x="{x}" y="{y + _RADIUS + 14}" font-size="12">{label}</text>'
        )
    return "\n".join([*out, "</svg>"]) + "\n"


def _arrow(part: Part) -> Iterator[str]:
    (x1, y1), (x2, y2) = (_PLACES[label] for label in part.ends)
    if part.ends[0] == part.ends[1]:  # a loop above, without a head: it has no direction
        yield f'<path d="M{x1 - 14} {y1 - 22}c-46 -88 74 -88 28 0"/>'
        yield f'<text class="ink" x="{x1}" y="{y1 - 94}" font-size="11">{part.name}</text>'
        return
    far = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
    dx, dy = (x2 - x1) / far, (y2 - y1) / far
    first, last = _RADIUS + 2, far - _RADIUS - 2
    ends = [x1 + dx * first, y1 + dy * first, x1 + dx * last, y1 + dy * last]
    yield '<path marker-end="url(#end)" d="M{:.0f} {:.0f}L{:.0f} {:.0f}"/>'.format(*ends)
    x, y = (x1 + x2) / 2, (y1 + y2) / 2 - 6
    yield f'<text class="ink" x="{x:.0f}" y="{y:.0f}" font-size="11">{part.name}</text>'


if __name__ == "__main__":
    (FOLDER / "graph-schema.svg").write_text(picture(), encoding="utf-8")
