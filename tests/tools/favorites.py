"""The saved queries that are dropped into Neo4j Browser: eleven of the library,
in the order of a story.

``make pictures`` writes docker/favorites.zip by it; the same library gives the same bytes.
"""

import io
import zipfile
from pathlib import Path

from ratingpriv.graph.catalogue import query

ROOT = Path(__file__).resolve().parent.parent.parent
FILE = ROOT / "docker" / "favorites.zip"

ONLY_ANSWERS = ":config autoComplete: false"
"""Browser takes this alone, in no script and beside no other command."""

STORY = {
    "Draw the answer's lines only": (),
    "Set dataset, k, epsilon; mark": (
        "parameters", "browse/mark", "browse/mark-reasons",
    ),
    "Overview: Hamming groups": ("browse/overview",),
    "Records at risk, and why": ("browse/at-risk",),
    "Isolated records": ("browse/alone",),
    "A record's neighbourhood": ("browse/record-and-near",),
    "Colour cliques (02 undoes it)": ("browse/mark-cliques",),
    "Cliques of a run": ("browse/cliques",),
    "Records in no clique": ("browse/left-out",),
    "A merge or a loan, its cost": ("browse/mended",),
    "Before and after release": ("browse/before-after",),
}  # fmt: skip


def favorites() -> dict[str, str]:
    """Return the saved queries by the names of their files.

    Browser sorts by the first line, and shows it.
    """
    found = {}
    for number, (title, parts) in enumerate(STORY.items(), start=1):
        body = ";\n".join(map(_text, parts)) or ONLY_ANSWERS
        found[f"ratingpriv/{number:02}.cypher"] = f"// {number:02} {title}\n{body.strip()}\n"
    return found


def _text(part: str) -> str:
    if part != "parameters":
        return f"// {part}\n{query(part, 'neo4j').statement.strip()}"
    lines = (ROOT / "docker" / "parameters.cypher").read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.startswith("//")).rstrip(";")


def packed() -> bytes:
    """Return the file that is dropped, without the times at which it was made."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, text in favorites().items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return held.getvalue()


if __name__ == "__main__":
    FILE.write_bytes(packed())
