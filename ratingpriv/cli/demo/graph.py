"""The tour's last stop: the survey in a graph store, and three questions to it in Cypher."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ratingpriv.graph.store import GraphStore, Result
    from ratingpriv.progress import Progress
    from ratingpriv.table import RatingTable

__all__ = ["STORE", "show_graph"]

STORE = "survey.grafeo"
"""The store's file in the folder of the tour."""

_DATASET = "survey"

_Say = Callable[[str | None, str], None]


def show_graph(
    table: RatingTable,
    folder: Path,
    *,
    k: int,
    epsilon: float,
    shown_in: Path,
    write: Callable[[str], object],
    say: _Say,
    progress: Progress | None,
) -> None:
    """Ingest ``table`` into a store in ``folder`` and ask it; commands are shown for ``shown_in``.

    ``k`` must be larger than the smallest neighbourhood, so that there is somebody to show.
    """
    from ratingpriv.graph.connect import open_store
    from ratingpriv.graph.ingesting import IngestOptions, ingester

    asked = IngestOptions(dataset=_DATASET, epsilon=epsilon)
    prepared = ingester().prepare(table, asked, progress=progress)
    address = f"embedded:{shown_in / STORE}"
    with open_store(f"embedded:{folder / STORE}") as store:
        info = prepared.load(store, progress=progress)
        say(
            "6. The same people as a graph",
            f"Every person is now a node, and every two within a distance of {epsilon:g} are connected: "
            f"{info.spec.pairs:,} pairs, in one file, without a server (Neo4j is the same, with pictures). A "
            "library of Cypher queries asks the graph; ratingpriv query list names them.",
        )
        tour = _Tour(store, address, write)
        risk = tour.ask("audit/risk-summary", k=k, epsilon=epsilon).dicts()[0]
        most = round(1 / risk["prosecutor_max"])
        say(
            None,
            f"{risk['alone']:,} people have nobody near, as in step 3: the queries count what the audit "
            f"counts. The most exposed person is picked out with a chance of 1 in {most:,}, and on average "
            f"over all people the chance is {100 * risk['marketer']:.3g} %.",
        )
        people = tour.ask("audit/degree-violators", k=k, epsilon=epsilon, show=5).dicts()
        say(
            None,
            f"Those with fewer than {k} people like them, themselves included, the loneliest first: what the "
            "audit calls violators.",
        )
        accompanied = next((one for one in people if one["size"] > 1), people[0])
        tour.ask("audit/neighbourhood", record=accompanied["record"], epsilon=epsilon)
        others = accompanied["size"] - 1
        company = {0: "nobody else is", 1: "one other person is"}.get(others, f"{others} other people are")
        say(
            None,
            f"And this is who stands around {accompanied['record']}: {company} near enough to be taken for "
            "this person. In Neo4j Browser the same is a picture.",
        )


class _Tour:
    """Asks a query, and prints the command that asks it together with the answer."""

    def __init__(self, store: GraphStore, address: str, write: Callable[[str], object]) -> None:
        self._store, self._address, self._write = store, address, write

    def ask(self, name: str, *, show: int = 5, **params: Any) -> Result:
        from ratingpriv.graph.queries import find_query
        from ratingpriv.report.rows import rows_text

        result = find_query(name).run(self._store, dataset=_DATASET, **params)
        given = " ".join(f"-p {key}={_text(value)}" for key, value in params.items())
        where = f"--store {shlex.quote(self._address)} --dataset {_DATASET}"
        table = rows_text(result, show=show).replace("; --show N, --json or --csv give more", "")
        lines = "\n".join(f"    {line}" for line in table.splitlines())
        self._write(f"\n    $ ratingpriv query run {name} {given} {where}\n{lines}\n\n")
        return result


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else shlex.quote(str(value))
