"""The tour's graph: the survey in a graph store, and three queries to it in Cypher."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from ratingpriv.cli.demo.tour import Tour, people
from ratingpriv.report.wording import pick_at_random

if TYPE_CHECKING:
    from ratingpriv.graph.store import GraphStore, Result
    from ratingpriv.table import RatingTable

__all__ = ["STORE", "show_graph"]

STORE = "survey.grafeo"
"""The store's file in the folder of the tour."""

_DATASET = "survey"


def show_graph(tour: Tour, table: RatingTable, *, k: int, epsilon: float) -> None:
    """Ingest ``table`` into a store in the tour's folder and query it.

    ``k`` must be larger than the smallest neighbourhood, so that there is somebody to show.
    """
    from ratingpriv.graph.connect import open_store
    from ratingpriv.graph.ingesting import IngestOptions, ingester

    prepared = ingester().prepare(
        table, IngestOptions(dataset=_DATASET, epsilon=epsilon), progress=tour.progress
    )
    with open_store(f"embedded:{tour.folder / STORE}") as store:
        info = prepared.load(store, progress=tour.progress)
        tour.say(
            f"Every person is now a node, and every two within a distance of {epsilon:g} are connected: "
            f"{info.spec.pairs:,} pairs, in one file, without a server (Neo4j is the same, with pictures). A "
            "library of Cypher queries answers questions about the graph; ratingpriv query list names them.",
            "6. The same people as a graph",
        )
        risk = _query(tour, store, "audit/risk-summary", k=k, epsilon=epsilon).dicts()[0]
        most = round(1 / risk["prosecutor_max"])
        tour.say(
            f"{people(risk['alone'], 'has', 'have')} nobody within that distance, as in step 3: the queries "
            f"count what the audit counts. {pick_at_random(most, risk['marketer'], epsilon)}"
        )
        exposed = _query(tour, store, "audit/degree-violators", k=k, epsilon=epsilon).dicts()
        tour.say(
            f"Those with fewer than {k} people within that distance, themselves included, the smallest "
            "neighbourhoods first: what the audit calls records at risk."
        )
        shown = next((one for one in exposed if one["size"] > 1), exposed[0])
        _query(tour, store, "audit/neighbourhood", record=shown["record"], epsilon=epsilon)
        others = shown["size"] - 1
        company = {0: "nobody else is", 1: "one other person is"}.get(others, f"{others} other people are")
        tour.say(
            f"And this is the neighbourhood of {shown['record']}: {company} within a distance of 1. "
            "In Neo4j Browser the same is a picture."
        )


def _typed(value: object) -> str:
    """Return a parameter as it is typed: a text of digits in JSON quotes, else it is a number."""
    if isinstance(value, str) and value.lstrip("-").isdecimal():
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def _query(tour: Tour, store: GraphStore, name: str, **params: Any) -> Result:
    """Run a query, and print the command that runs it together with the answer."""
    from ratingpriv.graph.queries import find_query
    from ratingpriv.report.rows import rows_text

    result = find_query(name).run(store, dataset=_DATASET, **params)
    given = " ".join(f"-p {shlex.quote(f'{key}={_typed(value)}')}" for key, value in params.items())
    table = rows_text(result, show=5).replace("; --show N, --json or --csv give more", "")
    where = f"--store embedded:{tour.shown(STORE)} --dataset {_DATASET}"
    tour.command(f"query run {name} {given} {where}", table, about_data=False)
    return result
