"""One merge or one loan, applied to the cliques of a run in a store [SWLP10, §4.4].

What greedy cliques leave over is put into groups all the same: two components of one Hamming group are merged
(Case 2), or a record is borrowed from a component that its loan does not break (Case 3). Such a group is a
clique only after the data were changed, and ``partition/check`` says so. ``partition/merging-candidates`` and
``partition/borrowing-candidates`` tell what each would cost. A step is one transaction, all of it or nothing.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, cast

from ratingpriv.errors import ParameterError, QueryFailedError
from ratingpriv.graph.loading import LoadableStore, Runner
from ratingpriv.graph.partitioning import Decomposition, finish_run, read_run
from ratingpriv.graph.store import GraphStore

__all__ = ["borrow", "merge"]


def merge(store: GraphStore, dataset: str, run: str, a: int, b: int) -> Decomposition:
    """Put all records of the components ``a`` and ``b`` of a run into one group, and return the run.

    Parameters
    ----------
    store : where, open for writing
    dataset, run : a complete run
    a, b : components, named by the position of their first record; neither is filled by greedy cliques, and
        both are within one Hamming group

    Raises
    ------
    ParameterError
        One of them is no such component; there is no complete run of this name.
    QueryFailedError
        Somebody else changed the run meanwhile.
    """
    read_run(store, dataset, run)

    def work(ask: Runner, token: str) -> None:
        asked = ask("partition/decomposable-components", dataset=dataset, run=run)
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
        members = [row[1] for row in _members(ask, dataset, run) if row[3] in (a, b)]
        _check_rules(ask, dataset, members, "b", b)
        _take(ask, dataset, run, token, members, component=min(a, b), clique=min(a, b), made="merged")
        _close(ask, store, dataset, run, token)

    return _changed(store, dataset, run, work)


def borrow(
    store: GraphStore, dataset: str, run: str, records: Sequence[int | str], lent: int | str
) -> Decomposition:
    """Put ``records`` and the record ``lent`` to them into one group; the lender is decomposed anew.

    Parameters
    ----------
    store : where, open for writing
    dataset, run : a complete run
    records : ids of the records that borrow, of one component: left out, or all members of a clique
    lent : id of a record of another component, which greedy cliques fill without it

    Raises
    ------
    ParameterError
        A record is not in the dataset, the borrowers are no such records, or without ``lent`` somebody in
        its component would be left over; there is no complete run of this name.
    QueryFailedError
        Somebody else changed the run meanwhile.
    """
    read_run(store, dataset, run)

    def work(ask: Runner, token: str) -> None:
        rows = _members(ask, dataset, run)
        place = {record: position for record, position, _, _ in rows}
        wanted, u_id = [_as_there(record, place) for record in records], _as_there(lent, place)
        clique = {position: one for _, position, one, _ in rows}
        component = {position: one for _, position, _, one in rows}
        borrowers = _borrowers(wanted, place, clique, component)
        if place.get(u_id) is None or component[place[u_id]] == component[borrowers[0]]:
            raise ParameterError("lent", lent, "a record of another component")
        u, own = place[u_id], component[borrowers[0]]
        _check_rules(ask, dataset, [*borrowers, u], "lent", lent)
        lender = component[u]
        rest = [position for position, one in component.items() if one == lender and position != u]
        name = min(borrowers)
        _take(ask, dataset, run, token, [*borrowers, u], component=own, clique=name, made="borrowed")
        if rest:
            _take(ask, dataset, run, token, rest, component=min(rest), clique=-1, made="greedy")
        _close(ask, store, dataset, run, token)
        after = {position: one for _, position, one, _ in _members(ask, dataset, run)}
        if any(after[position] is None for position in rest):
            raise ParameterError(
                "lent", lent, "a record without which its component is still filled by greedy cliques",
                "see partition/borrowing-candidates",
            )  # fmt: skip

    return _changed(store, dataset, run, work)


def _as_there(id_: int | str, place: dict[int | str, int]) -> int | str:
    """Return the id, or the text of the same digits where only that is there."""
    return str(id_) if isinstance(id_, int) and id_ not in place and str(id_) in place else id_


def _borrowers(
    records: Sequence[int | str],
    place: dict[int | str, int],
    clique: dict[int, int | None],
    component: dict[int, int],
) -> list[int]:
    for record in records:
        if record not in place:
            raise ParameterError("records", record, "records of the dataset")
    found = sorted({place[record] for record in records})
    if not found or len({component[position] for position in found}) > 1:
        raise ParameterError("records", list(records), "records of one component")
    for position in found:
        mates = {other for other, one in clique.items() if one is not None and one == clique[position]}
        if not mates <= set(found):
            expected = "records that are left out, or all members of a clique"
            raise ParameterError("records", list(records), expected, "see partition/members")
    return found


def _check_rules(ask: Runner, dataset: str, positions: list[int], name: str, found: object) -> None:
    """Refuse records that no change of ratings makes proximate: they break the rule of a quasi-identifier."""
    if not all(agree for (agree,) in ask("partition/change/agree", dataset=dataset, positions=positions)):
        expected = "records of one group that meet the rules of the quasi-identifiers with each other"
        raise ParameterError(name, found, expected, "the dataset's property quasi says the rules")


def _members(ask: Runner, dataset: str, run: str) -> list[tuple[Any, ...]]:
    return ask("partition/members", dataset=dataset, run=run)


def _take(
    ask: Runner,
    dataset: str,
    run: str,
    token: str,
    positions: list[int],
    *,
    component: int,
    clique: int,
    made: str,
) -> None:
    ask(
        "partition/change/take",
        dataset=dataset,
        run=run,
        token=token,
        positions=positions,
        state="waiting" if clique < 0 else "taken",
        component=component,
        clique=clique,
        made=made,
    )


def _close(ask: Runner, store: GraphStore, dataset: str, run: str, token: str) -> None:
    ask("partition/change/leave", dataset=dataset, run=run, token=token)
    ask("partition/change/empty", dataset=dataset, run=run, token=token)
    finish_run(ask, store, dataset, run, token)


def _changed(store: GraphStore, dataset: str, run: str, work: Any) -> Decomposition:
    """Do ``work`` on a complete run in one transaction and read the run."""

    def change(ask: Runner) -> None:
        token = uuid.uuid4().hex
        if not ask("partition/change/open", dataset=dataset, run=run, token=token)[0][0]:
            remedy = "make it again with partition/decompose"
            raise QueryFailedError(store.uri, f"run {run!r} of dataset {dataset!r} is not complete", remedy)
        work(ask, token)

    cast("LoadableStore", store).atomically(change)
    return read_run(store, dataset, run)
