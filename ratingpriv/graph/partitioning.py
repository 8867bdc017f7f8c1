"""The greedy decomposition into cliques, step by step in a store, under the name of a run.

GREEDY(k, ε, order) [SWLP10, §4.3]: seeds in their order each take k records that are proximate with each
other; who is left joins a clique all of whose members are proximate with it, or stays left out. The
statements are those of ``cypher/partition/decompose``, to be repeated by hand in Browser just as well; this
module repeats them, a batch of them a transaction, and reads the outcome. Groups and ties are those of the
compiled decomposition.

Where groups are there to be seen, as in a release whose records were made identical, :func:`whole_components`
keeps them in the same way: the components that are cliques, none of them split.

A record is ``LEFT_OUT`` of a run until a clique takes it, and a run says ``complete`` only after everything
was counted: one that was broken off reads as one that placed nobody.
"""

from __future__ import annotations

import contextlib
import uuid
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError, QueryFailedError, RatingPrivError
from ratingpriv.base.numbers import in_full
from ratingpriv.base.progress import Progress
from ratingpriv.graph.catalogue import query
from ratingpriv.graph.datasets import check_fits
from ratingpriv.graph.store import GraphStore, Row, Runner

LEFT = -1
"""The label of a record that no clique took."""

ORDERS = ("position", "fewest")
"""Seeds in the order of the data, or those with the fewest neighbours first."""

_SCHEMA = ("schema/run-key", "schema/clique-key")
_STEPS = 100  # statements of one transaction: a commit costs more than a step


@dataclass(frozen=True, slots=True, eq=False)
class Decomposition:
    """A run as the store has it.

    Attributes
    ----------
    dataset, run : where it is
    record_ids : ids by position, as in the data
    labels : int64 (n,); the clique of each record, 0..count-1 in the order of their first records, or LEFT
    count : how many cliques
    components : int64 (n,); position of the first record of each record's component
    """

    dataset: str
    run: str
    record_ids: tuple[int | str, ...]
    labels: NDArray[np.int64]
    count: int
    components: NDArray[np.int64]

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The positions in each clique, ascending."""
        return tuple(tuple(np.flatnonzero(self.labels == group).tolist()) for group in range(self.count))

    @property
    def left(self) -> tuple[int, ...]:
        """Positions of the records that no clique took, ascending."""
        return tuple(np.flatnonzero(self.labels == LEFT).tolist())

    @property
    def found(self) -> bool:
        """Whether every record is in a clique."""
        return not self.left


def decompose(
    store: GraphStore,
    dataset: str,
    k: int,
    epsilon: float,
    order: str = "position",
    *,
    run: str | None = None,
    keep: bool = True,
    progress: Progress | None = None,
) -> Decomposition:
    """Decompose a dataset's proximity graph into cliques of at least ``k`` records, greedily.

    A run of the same name is replaced (None: ``k=5 epsilon=1 position``); without ``keep`` nothing of it
    stays in the store.
    """
    checks.choice("order", order, ORDERS)
    return _run(store, dataset, run, k, epsilon, order, keep=keep, progress=progress)


def whole_components(
    store: GraphStore, dataset: str, k: int, epsilon: float, *, run: str, progress: Progress | None = None
) -> Decomposition:
    """Keep each component that is a clique of at least ``k`` records as one clique; leave all others out.

    At epsilon 0 these are the groups of identical records, however large. Parameters and errors are those of
    :func:`decompose`.
    """
    return _run(store, dataset, run, k, epsilon, ORDERS[0], takes="whole", progress=progress)


def _run(
    store: GraphStore,
    dataset: str,
    run: str | None,
    k: int,
    epsilon: float,
    order: str,
    *,
    takes: str = "seed",
    keep: bool = True,
    progress: Progress | None,
) -> Decomposition:
    """Make a run whose cliques are those of the repeated statement ``takes``."""
    k = checks.whole_number("k", k, 1)
    epsilon = checks.non_negative_number("epsilon", epsilon)
    if run is not None and not 1 <= len(run) <= 200:
        raise ParameterError("run", run, "a name of 1 to 200 characters")
    named = f"k={k} epsilon={in_full(epsilon)} {order}" if keep else f"passing {uuid.uuid4().hex}"
    name = named if run is None else run
    check_fits(store.dataset(dataset), query("partition/components"), {"epsilon": epsilon}, store.uri)
    for statement in _SCHEMA:
        store.one(statement)
    token = uuid.uuid4().hex
    of = {"dataset": dataset, "run": name, "token": token}

    def begin(ask: Runner) -> list[Row]:
        ask("partition/runs/remove", dataset=dataset, run=name)
        return ask("partition/decompose/begin", **of, k=k, epsilon=epsilon, order=order)

    def repeat(part: str, most: int | None = None) -> int:
        """Repeat a statement until it changes nothing, or ``most`` times; return how often it did."""
        title, steps, done = query(f"partition/decompose/{part}").title, 0, False
        while not done and steps != most:
            taken, done = store.atomically(lambda ask: _some(ask, store, part, of, most or _STEPS))
            steps += taken
            if progress is not None:
                progress(title, steps, None)
        return steps

    try:
        if not store.atomically(begin)[0][0]:
            raise disturbed(store, dataset, name)
        repeat("near")
        repeat("follow")
        while repeat("spread", most=1):
            repeat("follow")
        for part in (takes, "place", "join", "sweep"):
            repeat(part)
        if not store.one("partition/decompose/end", **of):
            raise disturbed(store, dataset, name)
        try:
            return read_run(store, dataset, name)
        except ParameterError as error:  # somebody else removed it
            raise disturbed(store, dataset, name) from error
    except BaseException:
        with contextlib.suppress(RatingPrivError):  # the first error is the one to tell
            store.one("partition/decompose/abandon", **of)
        raise
    finally:
        if not keep:
            with contextlib.suppress(RatingPrivError):
                remove_run(store, dataset, name)


def _some(ask: Runner, store: GraphStore, part: str, of: dict[str, str], most: int) -> tuple[int, bool]:
    """Repeat a statement in one transaction; return how often it changed something, and whether that is all.

    What a transaction of the embedded store has written makes its later statements some ten times slower, so
    that each has its own. On a server a commit costs more than a step, and the run's lock comes first.
    """
    if store.snapshots:
        most = 1
    else:
        ask("partition/decompose/hold", **of)
    for step in range(most):
        if not ask(f"partition/decompose/{part}", **of)[0][0]:
            return step, True
    return most, False


def read_run(store: GraphStore, dataset: str, run: str) -> Decomposition:
    """Read a complete run."""
    members = store.run("partition/members", dataset=dataset, run=run)
    n = store.dataset(dataset).spec.records
    if len(members) != n or members.column("position") != list(range(n)):
        raise QueryFailedError(
            store.uri,
            f"dataset {dataset!r} has no complete run {run!r}",
            "ratingpriv query run partition/runs/list names its runs; partition/decompose makes one",
        )
    cliques = np.array([LEFT if id_ is None else id_ for id_ in members.column("clique")], dtype=np.int64)
    numbers: dict[int, int] = {}
    for clique in cliques.tolist():
        if clique != LEFT:
            numbers.setdefault(clique, len(numbers))
    labels = np.array([numbers.get(clique, LEFT) for clique in cliques.tolist()], dtype=np.int64)
    components = np.array(members.column("component"), dtype=np.int64)
    labels.flags.writeable = components.flags.writeable = False
    return Decomposition(dataset, run, tuple(members.column("record")), labels, len(numbers), components)


def remove_run(store: GraphStore, dataset: str, run: str) -> int:
    """Remove a run and its cliques; returns how many runs that were, 0 or 1."""
    removed = store.one("partition/runs/remove", dataset=dataset, run=run)
    return sum(int(runs) for runs, _ in removed)


def disturbed(store: GraphStore, dataset: str, run: str) -> QueryFailedError:
    """Return the error for a run that somebody else changed."""
    return QueryFailedError(
        store.uri,
        f"run {run!r} of dataset {dataset!r} was disturbed before its end",
        "another run of the same name, or a load of the dataset, came between; run it again, one at a time",
    )
