"""One merge or one loan, applied to the cliques of a run in a store [SWLP10, §4.4].

What greedy cliques leave over is put into groups all the same: two components of one Hamming group are merged
(Case 2), or a record is borrowed from a component that its loan does not break (Case 3). Such a group is a
clique only after the data were changed, and ``partition/check`` says so. ``partition/merging-candidates`` and
``partition/borrowing-candidates`` tell what each would cost. A step is one transaction, all of it or nothing.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.partitioning import Decomposition, disturbed, read_run
from ratingpriv.graph.store import GraphStore, Row, Runner


def merge(store: GraphStore, dataset: str, run: str, a: int, b: int) -> Decomposition:
    """Put all records of two components of a complete run into one group, and return the run.

    ``a`` and ``b`` are the positions of their first records; greedy cliques fill neither, and both are within
    one Hamming group.
    """

    def work(step: _Step, _: int) -> None:
        asked = step.run("partition/decomposable-components", dataset=dataset, run=run)
        rows = {component: (good, group) for component, _, _, _, good, group in asked}
        for name, component in (("a", a), ("b", b)):
            good, group = rows.get(component, (True, None))
            if good or group is None:
                expected = "a component within one Hamming group that greedy cliques do not fill"
                raise ParameterError(name, component, expected, "see partition/merging-candidates")
        if a == b or rows[a][1] != rows[b][1]:
            raise ParameterError(
                "b", b, f"another component of the Hamming group of {a}", "see partition/merging-candidates"
            )
        members = [row[1] for row in step.members() if row[3] in (a, b)]
        step.check_rules(members, "b", b)
        step.take(members, min(a, b), min(a, b), "merged")
        step.end()

    return _changed(store, dataset, run, work)


def borrow(
    store: GraphStore,
    dataset: str,
    run: str,
    records: Sequence[int | str],
    lent: int | str | Sequence[int | str],
) -> Decomposition:
    """Put ``records`` and what is lent to them into one group of at least k.

    Everybody else of a lender's component is in a clique of k or more afterwards: the one as before, or who
    was left out takes the place of the lent record, or its mates join other cliques. Else nothing is lent.
    Who borrows is left out, or a clique with all its members, of one component; of several ids ``lent`` each
    is lent after the one before.
    """
    loans = [lent] if isinstance(lent, int | str) else list(lent)

    def work(step: _Step, k: int) -> None:
        if not loans or len({*records}) + len(loans) < k:
            expected = f"{max(k - len({*records}), 1)} records or more: a group has at least k = {k}"
            raise ParameterError("lent", lent, expected, "see partition/borrowing-candidates")
        for number, one in enumerate(loans):
            step.lend([*records, *loans[:number]], one, k)

    return _changed(store, dataset, run, work)


@dataclass(frozen=True, slots=True)
class _Step:
    """The statements of one merge or loan, inside a transaction."""

    run: Runner
    named: dict[str, str]
    store: GraphStore

    def ask(self, part: str, **params: Any) -> list[Row]:
        """Run a statement that changes the run."""
        return self.run(f"partition/{part}", **self.named, **params)

    def members(self) -> list[Row]:
        """Return id, position, clique and component of every record."""
        return self.run("partition/members", dataset=self.named["dataset"], run=self.named["run"])

    def check_rules(self, positions: list[int], name: str, found: object) -> None:
        """Refuse records that no change of ratings makes proximate: they break a quasi-identifier's rule."""
        asked = self.run("partition/change/agree", dataset=self.named["dataset"], positions=positions)
        if not all(agree for (agree,) in asked):
            expected = "records of one group that meet the rules of the quasi-identifiers with each other"
            raise ParameterError(name, found, expected, "the dataset's property quasi says the rules")

    def take(
        self, positions: list[int], component: int, clique: int, made: str, state: str = "taken"
    ) -> None:
        """Make records a group of their own, named by the position ``clique`` of one of them."""
        group = {"component": component, "clique": clique, "made": made}
        self.ask("change/take", positions=positions, state=state, **group)
        self.ask("change/leave")

    def end(self) -> None:
        """Let those who may join cliques do so, and take the run to its end."""
        self.ask("change/empty")
        while self.ask("decompose/join")[0][0]:
            pass
        for part in ("place", "sweep"):
            self.ask(f"decompose/{part}")
        if not self.ask("decompose/end"):
            raise disturbed(self.store, self.named["dataset"], self.named["run"])

    def lend(self, records: Sequence[int | str], lent: int | str, k: int) -> None:
        """Put one record to others; refuse it where somebody in its component would be left over."""
        rows = self.members()
        place = {record: position for record, position, _, _ in rows}
        clique = {position: number for _, position, number, _ in rows}
        component = {position: name for _, position, _, name in rows}
        borrowers = _borrowers([_as_there(record, place) for record in records], place, clique, component)
        u, own = place.get(_as_there(lent, place)), component[borrowers[0]]
        if u is None or component[u] == own:
            raise ParameterError("lent", lent, "a record of another component")
        self.check_rules([*borrowers, u], "lent", lent)
        rest = [position for position, name in component.items() if name == component[u] and position != u]
        left = [position for position in rest if clique[position] is None]
        mates = [position for position in rest if clique[u] is not None and clique[position] == clique[u]]
        self.take([*borrowers, u], own, min(borrowers), "borrowed")
        if again := left or (mates if len(mates) < k else []):
            self.take(again, component[u], -1, "greedy", state="tried")
        if rest and u == component[u]:
            self.ask("change/rename", before=u, component=min(rest))
        self.end()
        sizes = Counter(clique_of for _, position, clique_of, _ in self.members() if position in {*rest})
        if None in sizes or any(size < k for size in sizes.values()):
            raise ParameterError(
                "lent",
                lent,
                "a record without which everybody else of its component is in a clique",
                "see partition/borrowing-candidates",
            )


def _as_there(id_: int | str, place_of: dict[int | str, int]) -> int | str:
    """Return the id, or the text of the same digits where only that is there."""
    return str(id_) if isinstance(id_, int) and id_ not in place_of and str(id_) in place_of else id_


def _borrowers(
    records: Sequence[int | str],
    place: dict[int | str, int],
    clique: dict[int, int | None],
    component: dict[int, int],
) -> list[int]:
    for record in records:
        if record not in place:
            raise ParameterError("records", record, "records of the dataset")
    borrowers = sorted({place[record] for record in records})
    if not borrowers or len({component[position] for position in borrowers}) > 1:
        raise ParameterError("records", list(records), "records of one component")
    for position in borrowers:
        mates = {other for other, of in clique.items() if of is not None and of == clique[position]}
        if not mates <= set(borrowers):
            expected = "records that are left out, or all members of a clique"
            raise ParameterError("records", list(records), expected, "see partition/members")
    return borrowers


def _changed(store: GraphStore, dataset: str, run: str, work: Callable[[_Step, int], None]) -> Decomposition:
    """Do ``work``, given the run's k, on a complete run in one transaction and read the run."""
    read_run(store, dataset, run)  # ParameterError where it is not there, or not complete

    def change(ask: Runner) -> None:
        step = _Step(ask, {"dataset": dataset, "run": run, "token": uuid.uuid4().hex}, store)
        opened = step.ask("change/open")
        if not opened:
            raise disturbed(store, dataset, run)
        work(step, opened[0][0])

    store.atomically(change)
    return read_run(store, dataset, run)
