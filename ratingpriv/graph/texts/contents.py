"""What was ingested, and what was made of it, in a few values: to see that a statement left it as it was."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from ratingpriv.errors import ParameterError
from ratingpriv.graph.loading import Runner

__all__ = ["leaving_datasets"]

_PARTS = ("records", "issues", "groups", "ratings", "pairs", "made")


def leaving_datasets[T](run: Runner, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, in whose transaction ``run`` runs, if it leaves every dataset as it was.

    Raises
    ------
    ParameterError
        It does not: the transaction must not be committed.
    """
    before = _contents(run)
    result = work()
    after = _contents(run)
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    if changed:
        what = f"a statement that changes what was ingested as {', '.join(map(repr, changed[:5]))}"
        expected = "one that adds labels, properties, nodes and relationships of its own"
        remedy = (
            "nothing was written; ratingpriv ingest replaces a dataset, ratingpriv store drop removes one"
        )
        raise ParameterError("query", what, expected, remedy)
    return result


def _contents(run: Runner) -> dict[str, tuple[object, ...]]:
    """Return, by its name, how each dataset is, and each load that is under way or was broken off."""
    found: dict[str, tuple[object, ...]] = {}
    loads = [row[0] for row in run("load/loads")]
    datasets = [row[0] for row in run("load/datasets")]
    for said in (*datasets, *loads):
        found.setdefault(str(said.get("name")), ())
        found[str(said.get("name"))] += (repr(sorted(said.items())),)
    owners = {str(load.get("key")): str(load.get("name")) for load in loads}
    owners |= {str(said.get("name")): str(said.get("name")) for said in datasets}
    for key, owner in sorted(owners.items()):
        digest = hashlib.blake2b(digest_size=16)
        for part in _PARTS:
            for row in run(f"load/contents/{part}", key=key):
                digest.update(repr(row).encode("utf-8", "surrogatepass"))
            digest.update(part.encode())
        found[owner] = (*found.get(owner, ()), digest.hexdigest())
    return found
