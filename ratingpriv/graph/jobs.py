"""Questions of several statements that leave their result in the store: a decomposition, a merge, a loan.

Like an iterated query each is asked by one name, with one contract; unlike one, what it writes stays, under
the name of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ratingpriv.graph.adjusting import borrow, merge
from ratingpriv.graph.catalogue import Parameter
from ratingpriv.graph.partitioning import decompose
from ratingpriv.graph.store import GraphStore, Result
from ratingpriv.progress import Progress

__all__ = ["JOBS", "Job", "is_step"]

_DATASET = Parameter("dataset", "STRING", "name the dataset was ingested under")
_RUN = Parameter("run", "STRING", "name of the run")
_DECOMPOSE = ("begin", "spread", "seed", "gather", "place", "join", "sweep", "end")
_CHANGE = ("open", "take", "leave", "empty")
_AGAIN = _DECOMPOSE[2:]


@dataclass(frozen=True, slots=True)
class Job:
    """One job.

    Attributes
    ----------
    title : what it does, in a line
    definition : what that means, with its source
    params : what it is given
    statements : ids of its statements, in their order; some of them are repeated
    result : id of the query whose rows it returns in the end
    example : a command line
    work : does it; called with the store, ``progress`` and the parameters
    """

    title: str
    definition: str
    params: tuple[Parameter, ...]
    statements: tuple[str, ...]
    result: str
    example: str
    work: Callable[..., object]

    def ask(self, store: GraphStore, *, progress: Progress | None, **params: Any) -> Result:
        """Do it, and return the rows of the result."""
        self.work(store, progress=progress, **params)
        named = {"dataset": params["dataset"], "run": params["run"]}
        return store.run(self.result, **named)


def is_step(name: str) -> bool:
    """Whether a query is a statement of a job."""
    return name.startswith(("partition/decompose/", "partition/change/"))


def _decompose(store: GraphStore, *, progress: Progress | None, **params: Any) -> None:
    decompose(store, progress=progress, **params)


def _merge(store: GraphStore, *, progress: Progress | None, **params: Any) -> None:
    merge(store, **params)


def _borrow(store: GraphStore, *, progress: Progress | None, **params: Any) -> None:
    borrow(store, **params)


JOBS = {
    "partition/decompose": Job(
        title="Greedy decomposition into cliques, kept under the name of a run",
        definition="GREEDY(k, epsilon, order) looks for a k-decomposition, a partition into cliques of k "
        "records or more [SWLP10, §4.3]: seeds in their order each take the nearest k - 1 free records that "
        "are proximate with each other and with it; who is left joins a clique all of whose members are "
        "proximate with it. A run of this name is replaced. A record without a clique was left out, which "
        "proves nothing: a greedy may miss a decomposition that there is.",
        params=(
            _DATASET,
            Parameter("run", "STRING", "name of the run; one of this name is replaced"),
            Parameter("k", "INTEGER", "the least size of a clique"),
            Parameter(
                "epsilon",
                "FLOAT",
                "how far two ratings may be apart and still be near; at most the dataset's epsilonMax",
            ),
            Parameter("order", "STRING", "position, or fewest: the records with the fewest neighbours first"),
        ),
        statements=tuple(f"partition/decompose/{part}" for part in _DECOMPOSE),
        result="partition/members",
        example="ratingpriv query run partition/decompose --param dataset=survey --param run=a --param k=2 "
        "--param epsilon=1 --param order=position",
        work=_decompose,
    ),
    "partition/merge": Job(
        title="Merge two components of a run into one group",
        definition="Case 2 [SWLP10, §4.4]: two components of one Hamming group that greedy cliques do not "
        "fill. The group is a clique only after the data were changed; partition/merging-candidates tells "
        "the cost.",
        params=(
            _DATASET,
            _RUN,
            Parameter("a", "INTEGER", "one component: position of its first record"),
            Parameter("b", "INTEGER", "the other"),
        ),
        statements=(
            *(f"partition/change/{part}" for part in _CHANGE),
            *(f"partition/decompose/{part}" for part in _AGAIN),
        ),
        result="partition/members",
        example="ratingpriv query run partition/merge --param dataset=survey --param run=a --param a=4 "
        "--param b=6",
        work=_merge,
    ),
    "partition/borrow": Job(
        title="Lend one record of a run to others; its component is decomposed anew without it",
        definition="Case 3 [SWLP10, §4.4]: the lender stays filled by greedy cliques. The borrowers and the "
        "record are a clique only after the data were changed; partition/borrowing-candidates tells the "
        "cost.",
        params=(
            _DATASET,
            _RUN,
            Parameter(
                "records",
                "LIST<ANY>",
                "ids of the borrowers, of one component: left out, or all members of a clique",
            ),
            Parameter("lent", "ANY", "id of the record that is lent, of another component"),
        ),
        statements=(
            *(f"partition/change/{part}" for part in _CHANGE),
            *(f"partition/decompose/{part}" for part in _AGAIN),
        ),
        result="partition/members",
        example="ratingpriv query run partition/borrow --param dataset=survey --param run=a "
        '--param records=\'["t5", "t6"]\' --param lent=t2',
        work=_borrow,
    ),
}
"""The jobs by the name that they are asked by."""
