"""Who is near whom: pictures of four queries, run on a graph store in memory."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable
from ratingpriv.desk.jobs import Job
from ratingpriv.desk.protection import Choice
from ratingpriv.graph.connect import open_store
from ratingpriv.graph.ingesting import ingest
from ratingpriv.graph.queries import find_query
from ratingpriv.graph.rows import GraphNode
from ratingpriv.report.graphs import Picture, picture_of, svg

CLIQUES = "browse/cliques"
"""The query about groups in which everybody is near everybody, which are made first."""
QUESTIONS = ("browse/at-risk", "browse/alone", "browse/overview", CLIQUES)
"""The queries that can be asked for by name."""
NEAR = "browse/record-and-near"
"""The query about one record, which is one of a picture."""

_DATASET, _RUN = "desk", "desk"
_MOST_PAIRS = 300_000


@dataclass(frozen=True)
class Drawn:
    """A picture, the statement that it is drawn from, and its parameters.

    ``number`` : of the picture; with the key of a node it names a record
    """

    svg: str
    picture: Picture
    statement: str
    parameters: dict[str, Any]
    number: int


class Neighbours:
    """Pictures of the table on the desk, kept as long as it is there."""

    def __init__(self, table: RatingTable) -> None:
        self._table = table
        self._drawn: dict[tuple[Any, ...], Drawn] = {}
        self._numbers = itertools.count()
        self._records: dict[str, Any] = {}  # ids, by picture and node; no page shows them

    def drawn(self, choice: Choice, query: str, node: str) -> Drawn | None:
        """Return a picture that was drawn; None: it was not."""
        return self._drawn.get(_key(choice, query, node))

    def check(self, query: str, node: str) -> None:
        """Refuse a query that is not offered, and a node of no picture."""
        checks.choice("query", query, (*QUESTIONS, NEAR))
        if query == NEAR and node not in self._records:
            raise ParameterError("node", node, "a circle of a picture that was drawn before")

    def draw(self, choice: Choice, query: str, node: str, job: Job) -> None:
        """Put the table into a store, ask it, and draw the answer."""
        job.step("putting people into the graph")
        with open_store("embedded::memory:") as store:
            dataset: dict[str, Any] = {
                "dataset": _DATASET,
                "epsilon": choice.epsilon,
                "progress": job.report,
            }
            try:
                ingest(self._table, store, max_edges=_MOST_PAIRS, **dataset)
            except ParameterError as error:
                if error.name != "max_edges":
                    raise
                ingest(self._table, store, edges="at-risk", k=choice.k, **dataset)
            if query == CLIQUES:
                parameters_asked = {
                    "dataset": _DATASET,
                    "run": _RUN,
                    "k": choice.k,
                    "epsilon": choice.epsilon,
                }
                find_query("partition/decompose", store.engine).run(
                    store, progress=job.report, **parameters_asked
                )
            query_found = find_query(query, store.engine)
            values = {"dataset": _DATASET, "k": choice.k, "epsilon": choice.epsilon}
            values |= {"record": self._records.get(node), "run": _RUN}
            parameters = {
                one.name: values[one.name] for one in query_found.query.params if one.name in values
            }
            job.step("drawing")
            answer = query_found.run(store, progress=job.report, **parameters)
        picture = picture_of(answer, query_found.query, parameters)
        nodes = [
            cell for row in answer.dicts() for cell in row.values() if isinstance(cell, GraphNode)
        ]
        number = next(self._numbers)
        of = {f"{number}.{one.key}": one["properties"].get("id") for one in nodes}
        self._records |= {node: record for node, record in of.items() if record is not None}
        shown = {name: value for name, value in parameters.items() if name != "record"}
        drawn = Drawn(svg(picture, framed=False), picture, query_found.query.text, shown, number)
        self._drawn[_key(choice, query, node)] = drawn


def _key(choice: Choice, query: str, node: str) -> tuple[Any, ...]:
    return choice.k, choice.epsilon, query, node if query == NEAR else ""
