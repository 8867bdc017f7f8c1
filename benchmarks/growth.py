"""How the graph's questions grow with the pairs: both stores, Graph Data Science,
NetworkX and our engine.

    python -m benchmarks.growth [--quick] [--records N,N,...]

One survey with ever more respondents, so that pairs grow with the square of the records: about
10^4, 10^5 and 10^6 of them. Seconds are those of processors, of this process and of the server's,
as other work on the machine does not lengthen them much; a question that takes less than two is
asked four times, and the median of the last three is taken. NetworkX asks a graph that it holds
already, but for the ingest. Answers are compared. The server has 1 GB of heap and 256 MB of page
cache. ``--records 2000,6300,19900,62900`` goes on to 10^7 pairs, and takes more than an hour;
average clustering is asked there of our engine and GDS alone.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx
import numpy as np

import ratingpriv
from benchmarks.servers import NotMeasuredError, opened, own_server, raise_unless_equal, say
from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.anonymize.methods import suppress
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, QueryTimedOutError, StoreFullError
from ratingpriv.graph.embedded import EmbeddedStore
from ratingpriv.graph.export import to_networkx
from ratingpriv.graph.queries import find_query
from ratingpriv.partition.components import components
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.utility.clustering import LocalClustering, local_clustering
from ratingpriv_loaders.graph.slices import load, slices
from ratingpriv_loaders.synthetic.generators import likert_survey

if TYPE_CHECKING:
    from ratingpriv.data.table import RatingTable
    from ratingpriv.graph.running import GraphStore
    from ratingpriv.graph.store import Result

__all__ = ["main", "rows"]

RECORDS, ITEMS, K, EPSILON, L, SEED = (2_000, 6_300, 19_900), 20, 5, 1.0, 1.0, 4
SHORT, TIMES = 2.0, 3
STEADY = 1.3  # times as fast as the pairs
TOO_LONG, NOT_ASKED = float("nan"), float("inf")


@dataclass(frozen=True)
class Question:
    """One of the graph's questions; ``ours`` is asked of the table,
    ``peer`` of NetworkX's graph.
    """

    name: str
    ask: Callable[[GraphStore, str], Any]
    ours: Callable[[RatingTable], Any] | None = None
    peer: Callable[[networkx.Graph], Any] | None = None
    gds: str | None = None  # the query that has a text for it
    most: float | None = None  # times NetworkX's seconds
    most_seconds: float | None = None
    most_pairs: int | None = None  # of more it is asked of our engine and GDS alone


def _query(name: str, store: GraphStore, dataset: str, **params: Any) -> Result:
    return find_query(name, store.engine).run(store, dataset=dataset, epsilon=EPSILON, **params)


def _plain(name: str, store: GraphStore, dataset: str, **params: Any) -> Result:
    return store.run(name, dataset=dataset, epsilon=EPSILON, **params)


def _components(store: GraphStore, dataset: str) -> int:
    return len(set(_plain("partition/components", store, dataset).column("component")))


def _core(store: GraphStore, dataset: str, ask: Callable[..., Result] = _plain) -> int:
    return sum(ask("partition/core", store, dataset, k=K).column("in_core"))


def _clustering(store: GraphStore, dataset: str, ask: Callable[..., Result] | None = None) -> float:
    ask = ask or (_plain if store.has_gds else _query)  # its own text on either store
    return round(
        float(ask("utility/average-clustering", store, dataset).column("coefficient")[0]), 9
    )


def _local(table: RatingTable) -> LocalClustering:
    return local_clustering(
        table, EPSILON, "strict", rng=np.random.default_rng(SEED), resources=Resources()
    )


def _least_size(store: GraphStore, dataset: str) -> int:
    return int(_plain("audit/degree-check", store, dataset, k=K).column("min_size")[0])


def _borrowers(store: GraphStore, dataset: str) -> list[Any]:
    left = [row for row in store.run("partition/members", dataset=dataset, run="a").dicts()
            if row["clique"] is None]  # fmt: skip
    return [row["record"] for row in left if row["component"] == left[0]["component"]][:3]


def _borrowing(store: GraphStore, dataset: str) -> int:
    records = _borrowers(store, dataset)
    return len(
        store.run("partition/borrowing-candidates", dataset=dataset, run="a", records=records)
    )


QUESTIONS = (
    Question(
        "audit --l",
        lambda store, name: (
            ratingpriv.audit_stored(store.dataset(name), k=K, epsilon=EPSILON, l=L).n_violators
        ),
        lambda table: ratingpriv.audit(table, k=K, epsilon=EPSILON, l=L).n_violators,
    ),
    Question(
        "degree check",
        _least_size,
        lambda table: int(neighbourhoods(table, EPSILON, sensitive=False).sizes.min()),
        lambda graph: min(degree for _, degree in graph.degree()) + 1,
        most_seconds=0.2,
    ),
    Question(
        "SD of a sensitive issue",
        lambda store, name: len(_plain("audit/sensitive-sd", store, name, issue="income")),
        lambda table: len(neighbourhoods(table, EPSILON).sizes),
    ),
    Question(
        "components",
        _components,
        lambda table: len(np.unique(components(table, EPSILON))),
        networkx.number_connected_components,
        most=15,
    ),
    Question(
        "core",
        _core,
        lambda table: suppress(table, k=K, epsilon=EPSILON).table.n_records,
        lambda graph: len(networkx.k_core(graph, K - 1)),
        "partition/core",
        most=20,
    ),
    Question(
        "average clustering",
        _clustering,
        lambda table: round(float(_local(table).coefficients.mean()), 9),
        lambda graph: round(networkx.average_clustering(graph), 9),
        "utility/average-clustering",
        most=1,
        most_pairs=2_000_000,
    ),
    Question(
        "decomposition",
        lambda store, name: len(_query("partition/decompose", store, name, run="a", k=K)),
        lambda table: len(greedy(table, K, EPSILON).labels),
    ),
    Question(
        "merging candidates",
        lambda store, name: len(store.run("partition/merging-candidates", dataset=name, run="a")),
    ),
    Question("borrowing candidates of three records", _borrowing),
)
BY_GDS = {"partition/core": _core, "utility/average-clustering": _clustering}


@dataclass
class Measured:
    """Processor seconds by question and engine, one a size."""

    pairs: list[int] = field(default_factory=list)
    took: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)

    def measure(
        self, name: str, engine: str, ask: Callable[[], Any], cpu: Callable[[], float]
    ) -> None:
        """Ask, compare with what others answered, and keep the seconds.

        What is stopped takes too long.
        """
        try:
            answer, first = _timed(ask, cpu)
        except (QueryTimedOutError, StoreFullError, ParameterError):
            # the last one where what it asks about was stopped: there is no run
            answer, taken = None, TOO_LONG
        else:
            again = [_timed(ask, cpu)[1] for _ in range(TIMES)] if first < SHORT else [first]
            taken = statistics.median(again)
            raise_unless_equal(f"{name} by {engine}", self.answers.setdefault(name, answer), answer)
        self.took.setdefault((name, engine), []).append(taken)
        say(f"{name} by {engine}: {taken:.3g} s of processors")


def _timed(ask: Callable[[], Any], cpu: Callable[[], float]) -> tuple[Any, float]:
    start = cpu()
    answer = ask()
    return answer, cpu() - start


def _measured(records: tuple[int, ...]) -> tuple[Measured, dict[str, str]]:
    found, versions = Measured(), {}
    with (
        tempfile.TemporaryDirectory(prefix="ratingpriv-benchmark-") as folder,
        contextlib.ExitStack() as left,
    ):
        stores: dict[str, tuple[GraphStore, Callable[[], float]]] = {}
        with contextlib.suppress(NotMeasuredError):
            server = left.enter_context(own_server(gds=True, brief=False))
            store = left.enter_context(opened(server.uri))
            stores["Neo4j"] = store, lambda: time.process_time() + server.cpu_seconds()
        for size in records:
            path = Path(folder) / f"{size}.grafeo"
            stores["embedded"] = EmbeddedStore(path), time.process_time
            _one_size(size, found, stores)
            versions = {engine: store.version() for engine, (store, _) in stores.items()}
            stores.pop("embedded")[0].close()
            path.unlink()
    return found, versions


def _one_size(
    size: int, found: Measured, stores: dict[str, tuple[GraphStore, Callable[[], float]]]
) -> None:
    table, name = likert_survey(size, ITEMS, rng=SEED), f"of {size}"
    found.answers.clear()
    clock = time.process_time
    graph, taken = _timed(lambda: to_networkx(table, EPSILON), clock)
    found.took.setdefault(("ingest", "networkx"), []).append(taken)
    found.pairs.append(graph.number_of_edges())
    for engine, (store, cpu) in sorted(stores.items()):
        load_it = functools.partial(_loaded, store, table, name)
        found.took.setdefault(("ingest", engine), []).append(_timed(load_it, cpu)[1])
        say(f"{found.pairs[-1]:,} pairs in {engine}")
    for question in QUESTIONS:
        if question.ours is not None:
            found.measure(question.name, "ours", functools.partial(question.ours, table), clock)
        left_out = question.most_pairs is not None and found.pairs[-1] > question.most_pairs
        if left_out:
            for engine in ("networkx", *sorted(stores)):
                found.took.setdefault((question.name, engine), []).append(NOT_ASKED)
        elif question.peer is not None:
            found.measure(question.name, "networkx", functools.partial(question.peer, graph), clock)
        for engine, (store, cpu) in sorted(stores.items()):
            if not left_out:
                found.measure(
                    question.name, engine, functools.partial(question.ask, store, name), cpu
                )
            if question.gds is not None and store.has_gds:
                ask = functools.partial(BY_GDS[question.gds], store, name, _query)
                found.measure(question.name, "GDS", ask, cpu)


def _loaded(store: GraphStore, table: RatingTable, name: str) -> None:
    load(slices(table, name, epsilon=EPSILON, ratings=True), store)


def rows(records: tuple[int, ...], *, judge: bool = True) -> Iterator[Row]:
    """Measure; a row a question and engine, its seconds at each size."""
    found, versions = _measured(records)
    bars = {question.name: question for question in QUESTIONS}
    sizes = ", ".join(f"{pairs:,}" for pairs in found.pairs)
    yield Row(f"pairs of {', '.join(f'{n:,}' for n in records)} records", sizes, "", "", "", None)
    for (name, engine), taken in found.took.items():
        if engine in ("networkx", "ours"):
            continue
        question = bars.get(name)
        peer = found.took.get((name, "networkx")) or found.took.get((name, "ours")) or []
        who = "networkx" if (name, "networkx") in found.took else "our engine"
        beside = found.took.get((name, "ours"), []) if who == "networkx" else []
        text = f"{who}: {_listed(peer)}" if peer else ""
        text += f"; our engine: {_listed(beside)}" if beside else ""
        times = [a / b if np.isfinite(b) else b for a, b in zip(taken, peer, strict=False)]
        ratios = f"{', '.join(map(_ratio, times))}×; " if peer else ""
        growth = [b / a for a, b in itertools.pairwise(taken)]
        more = [b / a for a, b in itertools.pairwise(found.pairs)]
        bar, met = (
            f"grows ≤ {STEADY} × pairs",
            [g <= STEADY * m for g, m in zip(growth, more, strict=True)],
        )
        if question is not None and question.most is not None:
            bar += f"; ≤ {question.most:g}× networkx"
            met.append(bool(np.isfinite(peer[-1])) and taken[-1] <= question.most * peer[-1])
        if question is not None and question.most_seconds is not None:
            bar += f"; ≤ {question.most_seconds:g} s"
            met.append(taken[-1] <= question.most_seconds)
        yield Row(
            f"{name}, {versions.get(engine, 'Graph Data Science')}",
            _listed(taken),
            text,
            f"{ratios}grows ×{', ×'.join(map(_ratio, growth))}",
            bar,
            all(met) if judge else None,
        )


def _ratio(value: float) -> str:
    return f"{value:.3g}" if np.isfinite(value) else "–"


def _listed(taken: list[float]) -> str:
    words = {"nan": "stopped", "inf": "not asked"}
    return ", ".join(words.get(str(one)) or seconds(one) for one in taken)


def main(arguments: list[str] | None = None) -> list[Row]:
    """Measure, print and return the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="two small surveys; nothing is judged")
    parser.add_argument("--records", help="respondents, ascending, with commas between")
    options = parser.parse_args(arguments)
    records = RECORDS if options.records is None else tuple(map(int, options.records.split(",")))
    found = list(rows((600, 900) if options.quick else records, judge=not options.quick))
    print(HEADER, *(row.markdown() for row in found), sep="\n")
    return found


if __name__ == "__main__":
    main()
