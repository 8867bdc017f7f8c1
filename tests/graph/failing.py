"""A store whose n-th statement fails, and what has to hold afterwards whatever the n.

Five things are done to a store: a dataset is loaded, replaced, partitioned, released, dropped. Each
is a :class:`Deed`: how it is prepared, done, judged after a failure, and judged after it was done
once more.
"""

import contextlib
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from golden.tables import table2
from queries.runs import decompose

from graph.contract import expect_equal
from graph.samples import load, sample, send
from ratingpriv.base.errors import QueryFailedError, RatingPrivError, UnknownDatasetError
from ratingpriv.base.keys import Key
from ratingpriv.graph import embedded, neo4j
from ratingpriv.graph.releases import announce_release, link_release, released_name
from ratingpriv_loaders.graph import slices

__all__ = ["DEEDS", "MODES", "Deed", "after_every_failure", "statements"]

MODES = ("before", "after", "once")
"""The statement is not run and nothing works from then on; it is run and its answer is lost, and so
on; it is not run, and the next one works.
"""

IDS = tuple(f"t{place}" for place in range(1, 7))
KEY = Key(IDS, IDS)


@contextlib.contextmanager
def failing(store: Any, number: int, mode: str = "before") -> Iterator[list[int]]:
    """Let statement ``number`` of the store fail; gives a list with how many there were."""
    seen = [0]

    def faulty(call: Callable[..., Any], *args: Any) -> Any:
        seen[0] += 1
        late = seen[0] > number and mode != "once"
        if seen[0] == number or late:
            if mode == "after" and not late:
                call(*args)
            raise QueryFailedError(store.uri, f"statement {number} failed", "none")
        return call(*args)

    with pytest.MonkeyPatch.context() as patch:
        if store.engine == "neo4j":
            fetch = neo4j._answer
            patch.setattr(neo4j, "_answer", lambda *args: faulty(fetch, *args))
        else:
            execute, batch = embedded.EmbeddedStore._answer, embedded.EmbeddedStore.batch
            patch.setattr(embedded.EmbeddedStore, "_answer", lambda *args: faulty(execute, *args))
            patch.setattr(embedded.EmbeddedStore, "batch", lambda *args: faulty(batch, *args))
        yield seen


@dataclass(frozen=True)
class Deed:
    """What is done to a store under a name, and what is asked of it.

    ``after`` looks at the store after a failure; ``end`` after the deed was done again.
    """

    before: Callable[[Any, str], object]
    do: Callable[[Any, str], object]
    after: Callable[[Any, str], object]
    end: Callable[[Any, str], object]


def statements(store: Any, deed: Deed) -> int:
    """Count the statements of a deed."""
    with named(store) as name:
        deed.before(store, name)
        with failing(store, 1 << 30) as seen:
            deed.do(store, name)
        deed.end(store, name)
    return seen[0]


def after_every_failure(store: Any, deed: Deed, mode: str, numbers: Iterable[int]) -> int:
    """Fail at each of these statements; returns how often the deed ended with an error."""
    failed = 0
    for number in numbers:
        with named(store) as name:
            deed.before(store, name)
            with failing(store, number, mode):
                try:
                    deed.do(store, name)
                except RatingPrivError:
                    failed += 1
            deed.after(store, name)
            deed.do(store, name)
            deed.end(store, name)
    return failed


@contextlib.contextmanager
def named(store: Any) -> Iterator[str]:
    name = f"failing {uuid.uuid4().hex[:10]}"
    yield name
    with contextlib.suppress(UnknownDatasetError):
        store.drop(name)
    assert nothing_left(store, name)


def nothing_left(store: Any, name: str) -> bool:
    """Whether no node says this name, nor any load or release of it."""
    keys = [name, released_name(name, "run")]
    loads = [row[0]["name"] for row in store.one("load/loads")]
    return not any(key in loads or any(store.one("load/counted", key=key)[0]) for key in keys)


# ---- the five ----

OLD, NEW = {"records": 9, "seed": 5}, {"records": 16, "seed": 1}


def ingest(store: Any, name: str) -> None:
    data = sample(name, **NEW)
    with store.begin_dataset(data.spec) as sink:
        sink.batch_size = 10
        send(sink, data)
        sink.finish()


def is_old_or_new(store: Any, name: str) -> None:
    infos = [info for info in store.datasets() if info.spec.name == name]
    if infos and infos[0].complete:
        expect_equal(
            store,
            next(d for d in (sample(name, **OLD), sample(name, **NEW)) if d.spec == infos[0].spec),
        )


def is_still_there(store: Any, name: str) -> None:
    """It is answered about; or, on a server, not until the next load,
    where the change itself broke off.
    """
    if not store.dataset(name).complete:
        node = store.one("load/dataset", name=name)[0][0]
        assert not store.snapshots
        assert node["complete"]
        assert node["changing"]
    is_old_or_new(store, name)


def is_new(store: Any, name: str) -> None:
    expect_equal(store, sample(name, **NEW))
    assert not store.dataset(name).loading


def table(store: Any, name: str) -> None:
    slices.load(slices.slices(table2(), name, epsilon=3.0, ratings=True), store)


def run_of(store: Any, name: str) -> list[dict[str, Any]]:
    return [
        row for row in store.run("partition/runs/list", dataset=name).dicts() if row["run"] == "run"
    ]


def is_no_run_or_right(store: Any, name: str) -> None:
    if any(row["complete"] for row in run_of(store, name)):
        is_right_run(store, name)


def is_right_run(store: Any, name: str) -> None:
    with named(store) as other:
        table(store, other)
        right = decompose(store, other, 2, 2.0, run="run").labels.tolist()
    members = store.run("partition/members", dataset=name, run="run").column("clique")
    same = [[a == b and a is not None for b in members] for a in members]
    assert same == [[a == b and a >= 0 for b in right] for a in right]
    assert store.run("partition/check", dataset=name, run="run").dicts()[0]["problem"] is None
    assert len(run_of(store, name)) == 1


def release(store: Any, name: str) -> None:
    announce_release(store, name, "run")
    table(store, released_name(name, "run"))
    link_release(store, name, "run", KEY)


def is_no_release_or_right(store: Any, name: str) -> None:
    assert store.run("audit/degree-check", dataset=name, k=2, epsilon=2.0).rows[0][1] == 6
    if any(row["complete"] for row in store.run("anonymize/releases", dataset=name).dicts()):
        is_right_release(store, name)


def is_right_release(store: Any, name: str) -> None:
    (row,) = store.run("anonymize/releases", dataset=name).dicts()
    assert (row["complete"], row["linked"], row["records"], row["withheld"]) == (True, True, 6, 0)
    assert row["distortion"] == 0.0
    assert store.run("anonymize/distortion", dataset=name, run="run").dicts()[0]["released"] == 6


def drop(store: Any, name: str) -> None:
    with contextlib.suppress(UnknownDatasetError):
        store.drop(name)


def with_everything(store: Any, name: str) -> None:
    table(store, name)
    decompose(store, name, 2, 2.0, run="run")
    release(store, name)


def is_whole_or_refused(store: Any, name: str) -> None:
    infos = [info for info in store.datasets() if info.spec.name == name]
    if infos and infos[0].complete:
        is_right_release(store, name)
        is_right_run(store, name)


def is_gone(store: Any, name: str) -> None:
    assert nothing_left(store, name)
    assert name not in [info.spec.name for info in store.datasets()]


DEEDS = {
    "load": Deed(lambda store, name: None, ingest, is_old_or_new, is_new),
    "replace": Deed(
        lambda store, name: load(store, sample(name, **OLD)), ingest, is_still_there, is_new
    ),
    "partition": Deed(
        table,
        lambda store, name: decompose(store, name, 2, 2.0, run="run"),
        is_no_run_or_right,
        is_right_run,
    ),
    "release": Deed(table, release, is_no_release_or_right, is_right_release),
    "drop": Deed(with_everything, drop, is_whole_or_refused, is_gone),
}
