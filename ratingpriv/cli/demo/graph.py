"""The tour's graph: the survey in a graph store, and two queries to it in Cypher."""

from __future__ import annotations

import json
import shlex

from ratingpriv.cli.demo.tour import Tour
from ratingpriv.cli.output.step import run_step

__all__ = ["STORE", "company", "show_graph"]

STORE = "survey.grafeo"
"""The store's file."""


def show_graph(tour: Tour, *, smallest: int) -> None:
    """Put the survey into a store and query it; ``smallest``: the smallest neighbourhood within 1."""
    tour.say(
        "Every person becomes a node, and every two within a distance of 1 are connected, in one file and "
        "without a server (Neo4j is the same, with pictures). A library of Cypher queries answers questions "
        "about the graph; ratingpriv query list names them.",
        "8. The same people as a graph",
    )
    store = f"--store embedded:{tour.at(STORE)}"
    tour.command(f"ingest {tour.at('survey.csv')} --epsilon 1 --dataset survey {store}")
    where = f"--dataset survey {store}"
    k = smallest + 2
    fewest = f"query run audit/degree-violators -p k={k} -p epsilon=1 {where}"
    tour.command(f"{fewest} --show 3", sensitive=False, rows=True, lines=5)
    answer = json.loads(run_step([*shlex.split(fewest), "--json", "--quiet"]).page)
    row = answer["rows"][0]
    record, others = row["record"], int(row["size"]) - 1
    given = shlex.quote(f'record="{record}"')
    tour.command(
        f"query run audit/neighbourhood -p {given} -p epsilon=1 {where}",
        sensitive=False,
        rows=True,
        lines=4,
    )
    tour.say(
        f"Those with the smallest neighbourhoods, and who is within a distance of 1 of {record}: "
        f"{company(others)}. The queries count what the audit counts."
    )


def company(others: int) -> str:
    """Return how many others are somewhere, with their verb."""
    return {0: "nobody else is", 1: "one other person is"}.get(others, f"{others} other people are")
