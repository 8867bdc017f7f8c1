"""The reference of the Cypher library, from the headers of its files: a page a room,
a section a query.
"""

from __future__ import annotations

from itertools import groupby

from ratingpriv.graph.catalogue import Parameter, facts_about
from ratingpriv.graph.queries import LibraryQuery, list_queries
from website.markdown import bullets, escaped, fenced, table

__all__ = ["pages"]

ROOMS = {
    "audit": "Audit: the questions of a verdict",
    "browse": "Browse: pictures for Neo4j Browser",
    "quasi": "Quasi-identifiers",
    "partition": "Partitions and runs",
    "anonymize": "Releases beside their originals",
    "utility": "Utility",
    "load": "Loading a dataset",
    "schema": "Keys and indexes of a store",
}

_INTRODUCTION = """Each query is a plain file in `cypher/`; its header is a contract that is
checked. `ratingpriv query run NAME` runs one, `ratingpriv query show NAME` prints it to be pasted
into Neo4j Browser. How they are used is in [the graph](../../graph.md).
"""


def pages() -> dict[str, str]:
    """Return the pages by their names: an index, and a page a room of the library."""
    asked = {one.id for one in list_queries()}
    found, rows = {}, []
    every = sorted(list_queries(everything=True), key=lambda one: one.id)
    for room, queries in groupby(every, key=lambda one: one.id.partition("/")[0]):
        held = list(queries)
        title = ROOMS.get(room, room.capitalize())
        found[f"{room}.md"] = "\n".join(
            [f"# {title}\n", *(_section(one, one.id in asked) for one in held)]
        )
        rows.append(
            [
                f"[`{room}`]({room}.md)",
                escaped(title),
                str(len(held)),
                str(len(asked & {one.id for one in held})),
            ]
        )
    found["index.md"] = "\n".join(
        [
            "# Cypher library\n",
            _INTRODUCTION,
            table(["folder", "what for", "queries", "of them listed by `query list`"], rows),
            "The others are parts of these, or load data; `ratingpriv query list --all` names "
            "them too.\n",
        ]
    )
    return found


def _section(asked: LibraryQuery, listed: bool) -> str:
    query = asked.query
    lines = [
        f"## {query.id}\n",
        "```{index} single: Cypher; " + query.id + "\n```\n",
        f"**{escaped(query.title)}**{'' if listed else ' (part of others)'}\n",
        f"{escaped(query.definition)}\n",
    ]
    if query.params:
        rows = [
            [f"`{one.name}`", escaped(_type(one)), escaped(one.meaning)] for one in query.params
        ]
        lines.append(table(["parameter", "type", "meaning"], rows))
    if query.columns:
        rows = [[f"`{one.name}`", escaped(one.type), escaped(one.meaning)] for one in query.columns]
        lines.append(table(["column", "type", "meaning"], rows))
    about = [*((query.id, fact) for fact in query.facts), *facts_about(query.id)]
    facts = {
        "Key": ", ".join(query.key) or "at most one row",
        "Facts": "; ".join(f"{fact} ({name})" for name, fact in about) or "none",
        "Order": ", ".join(query.order) or "at most one row",
        "Reads": ", ".join(query.reads) or "nothing",
        "Writes": ", ".join(query.writes) or "nothing",
        "Cost": query.complexity,
    }
    lines.append(bullets(f"{name}: {escaped(said)}" for name, said in facts.items()))
    if query.example != "none":
        lines.append(fenced(query.example, "sh"))
    for part in asked.parts:
        if len(asked.parts) > 1:
            lines.append(f"Statement `{part.id}`:\n")
        lines.append(fenced(part.statement, "cypher"))
    return "\n".join(lines)


def _type(parameter: Parameter) -> str:
    limits = [f"{sign} {limit:g}" for sign, limit in parameter.limits]
    return " ".join(
        [parameter.type, *limits, *([f"of {parameter.names}"] if parameter.names else [])]
    )
