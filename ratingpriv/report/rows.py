"""Rows of a query, and the library of queries, as text, CSV and JSON."""

from __future__ import annotations

import csv
import io
import itertools
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.base.escaping import csv_safe
from ratingpriv.base.files import check_writable, replacing
from ratingpriv.base.numbers import json_value
from ratingpriv.documents import graph as documents
from ratingpriv.documents.making import document_of
from ratingpriv.graph.catalogue import facts_about
from ratingpriv.graph.described import asked_dict
from ratingpriv.report.as_json import write_json
from ratingpriv.report.page import Table
from ratingpriv.report.plain import count, number, plural, printable, write_text
from ratingpriv.report.text import table_text, wrapped

if TYPE_CHECKING:
    from ratingpriv.graph.queries import LibraryQuery
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import Result
    from ratingpriv.graph.texts.own import OwnQuery

    type _Question = LibraryQuery | OwnQuery

_WIDEST = 60
"""A cell of a table is cut to so many characters; JSON and CSV are never cut."""


def rows_dict(
    result: Result, question: _Question, store: GraphStore, params: dict[str, Any]
) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.query/1``: rows as objects, in the query's order."""
    about = store.dataset(params["dataset"]) if isinstance(params.get("dataset"), str) else None
    return document_of(
        documents.QueryResult,
        result,
        query=question.id,
        store=store.uri,
        engine=store.engine,
        dataset=None if about is None else asked_dict(about),
        parameters=json_value(params),
        rows=json_value(result.dicts()),
    )


def write_rows(
    result: Result,
    described: dict[str, Any],
    path: str | Path,
    *,
    safe: bool = True,
    force: bool = False,
) -> None:
    """Write the rows to ``path``: .csv, .parquet, or .json, which is ``described``;
    for the user alone.

    In CSV and Parquet a cell that is a list, a map, a node, a relationship or a path is JSON text.
    """
    suffix = check_rows_file(path, force=force)
    if suffix == ".json":
        write_json(described, path, force=force, private=True)
    elif suffix == ".csv":
        write_text(rows_csv(result, safe=safe), path, force=force, private=True)
    else:
        frame = result.to_frame()
        with replacing(path, force=force, private=True) as temporary:
            frame.write_parquet(temporary)


def check_rows_file(path: str | Path, *, force: bool = False) -> str:
    """Refuse early a file of rows that could not be written; return its suffix, in lower case."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".json", ".parquet"):
        raise ParameterError("output", str(path), "a file name ending in .csv, .json or .parquet")
    check_writable(path, force=force)
    return suffix


def changes_text(changes: Mapping[str, int]) -> str:
    """Return what a statement changed, in a line."""
    lines = []
    for name in _CHANGES:
        things, _, done = name.rpartition("_")
        thing = "property" if things == "properties" else things.removesuffix("s")
        if amount := changes[name]:
            lines.append(f"{amount:,} {plural(amount, thing, things)} {done}")
    return f"changed: {', '.join(lines)}\n" if lines else "nothing was changed\n"


_CHANGES = (
    *("nodes_created", "nodes_deleted", "relationships_created", "relationships_deleted"),
    *("properties_set", "labels_added", "labels_removed"),
)


def rows_csv(result: Result, *, safe: bool = True, seen: bool = False) -> str:
    """Return the rows as CSV with a header; a null is an empty cell, a list or a node is JSON.

    ``safe`` : whether texts that a spreadsheet would take for formulas are escaped
    (:func:`ratingpriv.base.escaping.csv_safe`)
    ``seen`` : whether it goes to a terminal, which control characters could repaint: they are
    escaped
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    for row in (result.columns, *([_csv_cell(value) for value in row] for row in result)):
        cells = (
            [printable(cell) if isinstance(cell, str) else cell for cell in row] if seen else row
        )
        writer.writerow(map(csv_safe, cells) if safe else cells)
    return file.getvalue()


def rows_text(result: Result, *, show: int | None = None) -> str:
    """Return the rows as an aligned table, the first ``show`` of them, and how many there are.

    A column ``problem`` is left out where it is null throughout: it tells why a question has no
    answer. So is ``missing``, which tells what an answer leaves out.
    """
    for name in ("problem", "missing"):
        if name in result.columns and not any(result.column(name)):
            column = result.columns.index(name)
            columns = result.columns[:column] + result.columns[column + 1 :]
            rows = tuple(row[:column] + row[column + 1 :] for row in result)
            result = type(result)(columns, rows, changes=result.changes)
    total = len(result)
    changed = "" if result.changes is None else changes_text(result.changes)
    if total == 0:
        return changed if changed and not result.columns else f"no rows\n{changed}"
    shown = list(itertools.islice(result, show))
    text = ""
    if shown:
        right = tuple(
            all(isinstance(row[column], int | float) or row[column] is None for row in shown)
            for column in range(len(result.columns))
        )
        cells = tuple(tuple(map(_cell, row)) for row in shown)
        text = table_text(Table(tuple(result.columns), cells, right)) + "\n"
    if len(shown) < total:
        more = "--show N, --json or --csv give more"
        return f"{text}{len(shown):,} of {count(total, 'row')} shown; {more}\n{changed}"
    return f"{text}{count(total, 'row')}\n{changed}"


def questions_text(questions: Iterable[_Question]) -> str:
    """Return names and titles, room by room."""
    listed = list(questions)
    width = max((len(one.id) for one in listed), default=0)
    rooms = []
    for room, members in itertools.groupby(listed, key=lambda one: one.id.partition("/")[0]):
        lines = [f"  {one.id.ljust(width)}  {printable(one.query.title)}" for one in members]
        rooms.append("\n".join([room, *lines, ""]))
    return "\n".join(rooms)


def question_text(question: _Question) -> str:
    """Return everything a query's header says, and its statements."""
    query = question.query
    lines = [f"{query.id}: {query.title}", ""]
    lines += [*wrapped(query.definition, 80), ""] if query.definition else []
    for title, entries in (("Parameters", query.params), ("Columns", query.columns)):
        lines.append(title if entries else f"{title}: none")
        for entry in entries:
            limits = "".join(f" {sign} {limit:g}" for sign, limit in getattr(entry, "limits", ()))
            lines += wrapped(
                f"{entry.name}: {entry.type}{limits} -- {entry.meaning}", 80, "  ", "      "
            )
        lines.append("")
    header = {
        "Key": ", ".join(query.key),
        "Order": ", ".join(query.order) or (query.complexity and "one row at most"),
        "Reads": ", ".join(query.reads) or (query.complexity and "nothing"),
        "Writes": ", ".join(query.writes) or (query.complexity and "nothing"),
        "Complexity": query.complexity,
        "Example": query.example,
    }
    for name, text in header.items():
        if text:
            lines += (
                [f"{name}: {text}"]
                if name == "Example"
                else wrapped(f"{name}: {text}", 80, "", "  ")
            )
    lines += [f"Fact: {fact}" for fact in query.facts]
    lines += [f"Fact: {fact} ({name})" for name, fact in facts_about(query.id)]
    for part in question.parts:
        lines += [
            "",
            f"// {part.id}" + (f" ({part.engine} only)" if part.engine else ""),
            part.statement.rstrip(),
        ]
    return "\n".join(lines) + "\n"


def questions_dict(questions: Iterable[_Question]) -> dict[str, Any]:
    """Return the JSON contract ``ratingpriv.queries/1``."""
    described = [
        document_of(
            documents.Query,
            question.query,
            iterated=question.iterated,
            statements=[(part.id, part.engine, part.statement) for part in question.parts],
        )
        for question in questions
    ]
    return document_of(documents.QueryLibrary, None, queries=described)


def _cell(value: Any) -> str:
    text = printable(_shown(value))
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."


def _shown(value: Any) -> str:
    """Return a value as Cypher would show it, nodes and relationships by what they are."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return number(value)
    if isinstance(value, list):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if isinstance(value, dict):
        properties = value.get("properties")
        if value.keys() == {"labels", "properties"} and isinstance(properties, dict):
            return f"(:{':'.join(value['labels'])} {_shown(properties)})"
        if value.keys() == {"type", "properties"} and isinstance(properties, dict):
            return f"[:{value['type']} {_shown(properties)}]"
        # an id or a name first: a long cell is cut at its end
        items = sorted(
            value.items(), key=lambda item: (item[0] not in ("id", "name", "distance"), item[0])
        )
        return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in items) + "}"
    return str(value)


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list | dict):
        return json.dumps(json_value(value), ensure_ascii=False)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value
