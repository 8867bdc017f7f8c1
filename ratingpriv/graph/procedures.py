"""Queries of several statements that leave a run in a store: decompositions into cliques,
and their mending.

GREEDY(k, ε, order) [SWLP10, §4.3]: seeds in their order each take k records that are proximate with
each other; who is left joins a clique all of whose members are proximate with it, or stays left
out. The statements are those of ``cypher/partition/decompose``, to be repeated by hand in Browser
just as well; this module repeats them, a batch of them a transaction. Groups and ties are those of
the compiled decomposition. A record is ``LEFT_OUT`` of a run until a clique takes it, and a run
says ``complete`` only after everything was counted: of one that was broken off only
``partition/runs/list`` says anything.

What greedy cliques leave over is put into groups all the same [SWLP10, §4.4]: two components of one
Hamming group are merged (Case 2), or a record is borrowed from a component that its loan does not
break (Case 3). Such a group is a clique only after the data were changed, and ``partition/check``
says so. A merge or a loan is one transaction, all of it or nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
import uuid
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError, QueryFailedError, RatingPrivError
from ratingpriv.base.progress import Progress
from ratingpriv.graph.catalogue import Query, library_folder, parse_query, query
from ratingpriv.graph.datasets import check_fits
from ratingpriv.graph.running import GraphStore
from ratingpriv.graph.store import Result, Row, Runner

ORDERS = ("position", "fewest")
"""Seeds in the order of the data, or those with the fewest neighbours first."""

RESULT = "partition/members"
"""The query whose rows, of the run, are the answer of every procedure."""

_STEPS = 100  # statements of one transaction: a commit costs more than a step


def _decompose(
    store: GraphStore,
    progress: Progress | None,
    *,
    dataset: str,
    run: str,
    k: int,
    epsilon: float,
    order: str = ORDERS[0],
    takes: str = "seed",
) -> None:
    """Make a run, in place of one of its name.

    Its cliques are those of the repeated statement ``takes``.
    """
    checks.choice("order", order, ORDERS)
    if not 1 <= len(run) <= 200:
        raise ParameterError("run", run, "a name of 1 to 200 characters")
    check_fits(
        store.dataset(dataset), query("partition/components"), {"epsilon": epsilon}, store.uri
    )
    for statement in ("schema/run-key", "schema/clique-key"):
        store.one(statement)
    of = {"dataset": dataset, "run": run, "token": _token()}

    def begin(ask: Runner) -> list[Row]:
        ask("partition/runs/remove", dataset=dataset, run=run)
        return ask("partition/decompose/begin", **of, k=k, epsilon=epsilon, order=order)

    def repeat(part: str, most: int | None = None) -> int:
        """Repeat a statement until it changes nothing, or ``most`` times.

        Return how often it did.
        """
        title, steps, done = query(f"partition/decompose/{part}").title, 0, False
        while not done and steps != most:
            taken, done = store.atomically(lambda ask: _some(ask, store, part, of, most or _STEPS))
            steps += taken
            if progress is not None:
                progress(title, steps, None)
        return steps

    try:
        if not store.atomically(begin)[0][0]:
            raise _disturbed(store, dataset, run)
        repeat("near")
        repeat("follow")
        while repeat("spread", most=1):
            repeat("follow")
        for part in (takes, "place", "join", "sweep"):
            repeat(part)
        if not store.one("partition/decompose/end", **of):
            raise _disturbed(store, dataset, run)
    except BaseException:
        with contextlib.suppress(RatingPrivError):  # the first error is the one to tell
            store.one("partition/decompose/abandon", **of)
        raise


def _token() -> str:
    """Return who writes a run: a name that no other writer has,
    and that sorts behind all before it.
    """
    return f"{time.time_ns()} {uuid.uuid4().hex}"


def _some(
    ask: Runner, store: GraphStore, part: str, of: dict[str, str], most: int
) -> tuple[int, bool]:
    """Repeat a statement in one transaction.

    Return how often it changed something, and whether that is all.

    What a transaction of the embedded store has written makes its later statements some ten times
    slower, so that each has its own. On a server a commit costs more than a step, and the run's
    lock comes first.
    """
    if store.snapshots:
        most = 1
    else:
        ask("partition/decompose/hold", **of)
    for step in range(most):
        if not ask(f"partition/decompose/{part}", **of)[0][0]:
            return step, True
    return most, False


def _disturbed(store: GraphStore, dataset: str, run: str) -> QueryFailedError:
    """Return the error for a run that somebody else changed."""
    return QueryFailedError(
        store.uri,
        f"run {run!r} of dataset {dataset!r} was disturbed before its end",
        "another run of the same name, or a load of the dataset, came between; run it again, one "
        "at a time",
    )


def _mend(
    mending: Callable[..., None],
    store: GraphStore,
    _: Progress | None,
    *,
    dataset: str,
    run: str,
    **how: Any,
) -> None:
    """Do one merge or loan on a complete run, in one transaction."""
    # ParameterError where it is not there, or not complete
    store.run(RESULT, dataset=dataset, run=run)
    store.atomically(lambda ask: mending(_Change(ask, store, dataset, run), **how))


class _Change:
    """A complete run that is being changed, inside a transaction;
    ``k`` is the least size of its cliques.
    """

    def __init__(self, ask: Runner, store: GraphStore, dataset: str, run: str) -> None:
        self._ask, self._disturbed = ask, partial(_disturbed, store, dataset, run)
        self._dataset, self._run, self._token = dataset, run, _token()
        opened = self.ask("change/open")
        if not opened:
            raise self._disturbed()
        self.k: int = opened[0][0]

    def ask(self, part: str, **params: Any) -> list[Row]:
        """Run a statement that changes the run."""
        return self.read(part, run=self._run, token=self._token, **params)

    def read(self, part: str, **params: Any) -> list[Row]:
        """Run a statement of ``partition/``."""
        return self._ask(f"partition/{part}", dataset=self._dataset, **params)

    def members(self) -> list[Row]:
        """Return id, position, clique and component of every record."""
        return self.read("members", run=self._run)

    def components(self) -> list[Row]:
        """Return the rows of ``partition/decomposable-components``."""
        return self.read("decomposable-components", run=self._run)

    def take(self, positions: list[int], found: tuple[str, object], **group: Any) -> None:
        """Make records a group of their own, named by the position ``clique`` of one of them.

        Refused, as what was ``found`` under a name, are those that no change of ratings makes
        proximate: they break a quasi-identifier's rule.
        """
        if not all(agree for (agree,) in self.read("change/agree", positions=positions)):
            expected = (
                "records of one group that meet the rules of the quasi-identifiers with each other"
            )
            raise ParameterError(*found, expected, "the dataset's property quasi says the rules")
        self.ask("change/take", positions=positions, state="taken", **group)
        self.ask("change/leave")

    def end(self) -> None:
        """Let those who may join cliques do so, and take the run to its end."""
        self.ask("change/empty")
        while self.ask("decompose/join")[0][0]:
            pass
        for part in ("place", "sweep"):
            self.ask(f"decompose/{part}")
        if not self.ask("decompose/end"):
            raise self._disturbed()


def _merge(change: _Change, *, a: int, b: int) -> None:
    """Put all records of two components, named by their first records, into one group.

    Greedy cliques fill neither, and both are within one Hamming group.
    """
    rows = {component: (good, group) for component, _, _, _, good, group in change.components()}
    for name, component in (("a", a), ("b", b)):
        good, group = rows.get(component, (True, None))
        if good or group is None:
            expected = "a component within one Hamming group that greedy cliques do not fill"
            raise ParameterError(name, component, expected, "see partition/merging-candidates")
    if a == b or rows[a][1] != rows[b][1]:
        expected = f"another component of the Hamming group of {a}"
        raise ParameterError("b", b, expected, "see partition/merging-candidates")
    members = [position for _, position, _, component in change.members() if component in (a, b)]
    change.take(members, ("b", b), component=min(a, b), clique=min(a, b), made="merged")
    change.end()


def _borrow(
    change: _Change, *, records: list[int | str], lent: int | str | list[int | str]
) -> None:
    """Put ``records`` and what is lent to them into one group of at least k.

    Everybody else of a lender's component is in a clique of k or more afterwards: the one as
    before, or who was left out takes the place of the lent record, or its mates join other cliques.
    Else nothing is lent. Who borrows is left out, or a clique with all its members, of one
    component; of several ids ``lent`` each is lent after the one before.
    """
    k, loans = change.k, lent if isinstance(lent, list) else [lent]
    if not loans or len({*records}) + len(loans) < k:
        expected = f"{max(k - len({*records}), 1)} records or more: a group has at least k = {k}"
        raise ParameterError("lent", lent, expected, "see partition/borrowing-candidates")
    for number, loan in enumerate(loans):
        _lend(change, [*records, *loans[:number]], loan)


def _lend(change: _Change, records: list[int | str], lent: int | str) -> None:
    """Put one record to others; refuse it where somebody in its component would be left over."""
    rows, k = change.members(), change.k
    position_of = {record: position for record, position, _, _ in rows}
    clique = {position: number for _, position, number, _ in rows}
    component = {position: name for _, position, _, name in rows}
    borrowers = _borrowers(records, position_of, clique, component)
    u, component_of_clique = position_of.get(_as_there(lent, position_of)), component[borrowers[0]]
    if u is None or component[u] == component_of_clique:
        raise ParameterError("lent", lent, "a record of another component")
    rest = [
        position for position, name in component.items() if name == component[u] and position != u
    ]
    left = [position for position in rest if clique[position] is None]
    mates = [
        position for position in rest if clique[u] is not None and clique[position] == clique[u]
    ]
    group = {"component": component_of_clique, "clique": min(borrowers), "made": "borrowed"}
    change.take([*borrowers, u], ("lent", lent), **group)
    if again := left or (mates if len(mates) < k else []):
        others = {"component": component[u], "clique": -1, "made": "greedy"}
        change.ask("change/take", positions=again, state="tried", **others)
        change.ask("change/leave")
    if rest and u == component[u]:
        change.ask("change/rename", before=u, component=min(rest))
    change.end()
    sizes = Counter(number for _, position, number, _ in change.members() if position in {*rest})
    if None in sizes or any(size < k for size in sizes.values()):
        expected = "a record without which all others of its component are in a clique"
        raise ParameterError("lent", lent, expected, "see partition/borrowing-candidates")


def _borrowers(
    records: list[int | str],
    place: dict[int | str, int],
    clique: dict[int, int | None],
    component: dict[int, int],
) -> list[int]:
    """Return the positions of those who borrow, ascending."""
    ids = [_as_there(record, place) for record in records]
    if unknown := [id_ for id_ in ids if id_ not in place]:
        raise ParameterError("records", unknown[0], "records of the dataset")
    borrowers = sorted({place[id_] for id_ in ids})
    if not borrowers or len({component[position] for position in borrowers}) > 1:
        raise ParameterError("records", ids, "records of one component")
    for position in borrowers:
        mates = {other for other, of in clique.items() if of is not None and of == clique[position]}
        if not mates <= set(borrowers):
            expected = "records that are suppressed, or all members of a clique"
            raise ParameterError("records", ids, expected, "see partition/members")
    return borrowers


def _as_there(id_: int | str, place: dict[int | str, int]) -> int | str:
    """Return the id, or the text of the same digits where only that is there."""
    return str(id_) if isinstance(id_, int) and id_ not in place and str(id_) in place else id_


_WORK: dict[str, Callable[..., None]] = {
    "partition/decompose": _decompose,
    "partition/clique-components": partial(_decompose, takes="whole"),
    "partition/merge": partial(_mend, _merge),
    "partition/borrow": partial(_mend, _borrow),
}
PROCEDURES = tuple(_WORK)
"""The names of the procedures; a file of each has its contract, and behind it the names of its
statements.
"""


def procedure(name: str, engine: str | None = None) -> tuple[Query, tuple[Query, ...]]:
    """Return the contract of a procedure, and its statements in their order,
    in the texts for ``engine``.
    """
    path = library_folder() / f"{name}.statements"
    file = parse_query(path.read_text(encoding="utf-8"), name, path, keys=_KEYS)
    parts = tuple(query(f"partition/{part}", engine) for part in file.statement.split())
    answer = query(RESULT, engine)
    contract = dataclasses.replace(
        file,
        columns=answer.columns,
        key=answer.key,
        facts=answer.facts,
        order=answer.order,
        reads=tuple(dict.fromkeys(label for part in parts for label in part.reads)),
        writes=tuple(dict.fromkeys(label for part in parts for label in part.writes)),
        text="\n".join(part.text.rstrip() + ";\n" for part in parts),
    )
    return contract, parts


_KEYS = ("title", "definition", "params", "complexity", "example")


def run_procedure(
    store: GraphStore, name: str, progress: Progress | None, params: dict[str, Any]
) -> Result:
    """Do what a procedure does, given all its parameters, and return the rows of its run."""
    _WORK[name](store, progress, **params)
    return store.run(RESULT, dataset=params["dataset"], run=params["run"])
