"""What was ingested, and what was made of it: to see that a statement left it as it was.

Nodes are compared property by property, runs and releases member by member. Of the pairs and the
ratings, which are many, an engine adds up secret numbers of the records that have them: by the
later record and the distance, or by the issue, the rating and its time. The numbers are drawn anew
for each statement, so that no statement can be made to keep the sums: one that changes anything
keeps all of them by chance, once in 2**40. A statement that follows no such relationships can only
take some away with a record, which is seen as that.

The labels of the schema are reserved, whichever dataset a node belongs to: a node of the user's own
with one of them would be read as part of what was ingested. So the nodes that have each are counted
before and after.
"""

from __future__ import annotations

import hashlib
import itertools
import secrets
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ratingpriv.base.errors import ParameterError
from ratingpriv.graph.schema import LABELS, properties
from ratingpriv.graph.store import Row, Runner
from ratingpriv.graph.texts.lexer import Statement

_SECRET = 40  # bits; 2**23 of them are added up in 63
_AT_ONCE = 1_000_000  # ratings or pairs added up in one statement, about

OURS = {
    "records": properties("Record"),
    "groups": properties("HammingGroup"),
    "issues": properties("Issue"),
    "runs": properties("Run", "Clique"),
    "members": properties("MEMBER_OF", "LEFT_OUT"),
    "releases": properties("Release"),
    "links": properties("RELEASED_AS"),
    "swap-groups": properties("SwapGroup"),
}
"""The properties that a load, a run or a release writes."""

_MANY = {"ratings": "RATED", "pairs": "PROXIMATE"}
"""What is added up, and the relationships that it is."""

QUASI = "quasi"
"""What the names of all properties of quasi-identifiers begin with."""


def leaving_datasets[T](run: Runner, statement: Statement, work: Callable[[], T]) -> T:
    """Return what ``work`` returns, which runs ``statement``, if it leaves every dataset as it was.

    ``run`` runs in its transaction. ParameterError: a dataset is another one, or a node has got or
    lost a label of the schema.
    """
    seed = secrets.randbits(128)
    many = tuple(part for part, kind in _MANY.items() if statement.reaches(kind))
    before = {owner: list(parts) for owner, parts in _contents(run, seed, many)}
    labelled = _labelled(run)
    result = work()
    after = dict(_contents(run, seed, many))
    changed = before.keys() ^ after.keys()
    for owner in before.keys() & after.keys():
        # part by part: what is odd in a record would have the engine refuse to add it up
        if any(a != b for a, b in itertools.zip_longest(before[owner], after[owner])):
            changed.add(owner)
    if changed:
        what = (
            f"a statement that changes what was ingested as "
            f"{', '.join(map(repr, sorted(changed)[:5]))}"
        )
        expected = "one that adds labels, properties, nodes and relationships of its own"
        remedy = (
            "nothing was written; ratingpriv ingest replaces a dataset, ratingpriv store "
            "drop removes one"
        )
        raise ParameterError("query", what, expected, remedy)
    if reserved := sorted(label for label, _ in labelled ^ _labelled(run)):
        labels = " or ".join(dict.fromkeys(reserved))
        what = f"a statement that makes or removes nodes with the label {labels}"
        expected = "one whose own nodes have labels that the schema of a store does not have"
        remedy = (
            "nothing was written; give them a label of your own; ratingpriv ingest makes "
            "those of a dataset"
        )
        raise ParameterError("query", what, expected, remedy)
    return result


def _labelled(run: Runner) -> set[tuple[Any, Any]]:
    """Return how many nodes of the whole store have each label of the schema."""
    return {(label, nodes) for label, nodes in run("schema/labels", labels=list(LABELS))}


def _contents(run: Runner, seed: int, many: tuple[str, ...]) -> Iterator[tuple[str, Iterator[str]]]:
    """Give, by its name, how each dataset is, and each load under way or broken off,
    part by part.
    """
    loads = [row[0] for row in run("load/loads")]
    datasets = [row[0] for row in run("load/datasets")]
    nodes: dict[str, list[Mapping[str, Any]]] = {}
    keys: dict[str, dict[str, Mapping[str, Any]]] = {}
    for named, key in ((datasets, "name"), (loads, "key")):
        for node in named:
            owner = str(node.get("name"))
            nodes.setdefault(owner, []).append(node)
            keys.setdefault(owner, {})[str(node.get(key))] = node
    for owner in nodes:
        yield owner, _parts(run, seed, many, nodes[owner], keys[owner])


def _parts(
    run: Runner,
    seed: int,
    many: tuple[str, ...],
    nodes: list[Mapping[str, Any]],
    keys: Mapping[str, Mapping[str, Any]],
) -> Iterator[str]:
    """Give digests of what the nodes of a dataset and its loads say,
    and of what is under each key.
    """
    yield _digest([(sorted(node.items()),) for node in nodes])
    for key, node in sorted(keys.items()):
        yield key
        for part, ours in OURS.items():
            rows = run(f"load/contents/{part}", key=key)
            yield _digest([_kept(row, ours) for row in rows])
        if not many:
            continue
        records, most = (
            _whole(node, "records"),
            max(_whole(node, "ratings"), _whole(node, "pairs"), 1),
        )
        step = max(1, min(records, _AT_ONCE * records // most))
        numbers = np.random.default_rng(seed).integers(0, 1 << _SECRET, records)
        for first in range(0, records, step):
            parameters = {"key": key, "first": first, "last": first + step}
            for part in many:
                secrets = numbers[first : first + step].tolist()
                yield _digest(run(f"load/contents/{part}", **parameters, secrets=secrets))


def _kept(row: Row, ours: tuple[str, ...]) -> Row:
    """Return a row whose properties are those of the load, in the order of their names."""
    return tuple(
        [(name, cell[name]) for name in sorted(cell) if name in ours or name.startswith(QUASI)]
        if isinstance(cell, dict)
        else cell
        for cell in row
    )


def _digest(rows: list[Row]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for row in rows:
        digest.update(repr(row).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _whole(said: Mapping[str, Any], name: str) -> int:
    number = said.get(name)
    return number if isinstance(number, int) and number > 0 else 0
