"""A count, a list and a picture of one fact agree, as their headers say, on every store."""

import itertools
import json
import re
from dataclasses import dataclass
from typing import Any

import pytest
from golden.tables import build

from queries.cases import load_case, with_nulls, with_quasi
from queries.runs import decompose
from queries.test_predictive import GOLDEN, put
from ratingpriv import RatingTable
from ratingpriv.graph.catalogue import catalogue, facts_about, query
from ratingpriv.graph.running import GraphStore

WITH_FACTS = [id for id, one in catalogue().items() if one.facts]  # noqa: A001
OF_A_RELEASE = ("anonymize/coverage-check", "anonymize/distortion", "anonymize/link-confidence")
PLACE = {"Record": "position", "HammingGroup": "id", "Clique": "id"}
"""The property of a node that stands in the key of a list."""

FACT = re.compile(
    r"(?P<columns>\w+(?: and \w+)*) (?:counts|draws? at most (?P<most>\d+) of) (?P<list>[a-z/-]+)"
    r"(?: (?P<side>where|without) (?P<flags>\w+(?: or \w+)*))?(?: by (?P<by>\w+))?"
    r"(?: with (?P<name>\w+) = (?P<value>\S+))?"
)

CHOICES: dict[str, list[Any]] = {
    "epsilon": [0.0, 1.0, 5.0], "k": [1, 2, 4], "l": [2], "b": [1], "run": ["run"],
    "grouping": ["groups"],
    "issue": ["issue 3"], "record": ["t1", "t4"], "hamming_group": [0], "groups": [50],
}  # fmt: skip


@dataclass
class Fact:
    """A line under ``facts``, taken apart."""

    text: str

    def __post_init__(self) -> None:
        match = FACT.fullmatch(self.text)
        assert match is not None, self.text
        self.list, self.by, self.kept = match["list"], match["by"], match["side"] != "without"
        self.columns, self.most = match["columns"].split(" and "), int(match["most"] or 0)
        self.flags = match["flags"].split(" or ") if match["flags"] else []
        self.given = {match["name"]: json.loads(match["value"])} if match["name"] else {}
        assert self.text in [fact for _, fact in facts_about(self.list)]


def facts_of(query_id: str) -> list[Fact]:
    return list(map(Fact, query(query_id).facts))


def apart() -> RatingTable:
    """160 records that are alone, each in a Hamming group of its own: more than a picture shows."""
    return build(
        [[1 if t >> bit & 1 else None for bit in range(8)] for t in range(160)], scale=(1, 5)
    )


@pytest.fixture
def datasets(store: GraphStore) -> dict[str, str]:
    if store.uri not in _THERE:
        there = {"release": put(store, GOLDEN, [0, 0, 1, 1], 2)[0]}
        for name, table in {"nulls": with_nulls(), "quasi": with_quasi(), "apart": apart()}.items():
            there[name], _ = load_case(store, table, 1.0 if name == "apart" else 5.0, ratings=True)
            decompose(store, there[name], 1 if name == "apart" else 2, 1.0, run="run")
        _THERE[store.uri] = there
    return _THERE[store.uri]


_THERE: dict[str, dict[str, str]] = {}


@pytest.mark.parametrize("query_id", WITH_FACTS)
def test_they_agree(store: GraphStore, datasets: dict[str, str], query_id: str) -> None:
    names = [param.name for param in query(query_id).params if param.name != "dataset"]
    seen = 0
    for name in ["release"] if query_id in OF_A_RELEASE else ["nulls", "quasi"]:
        for values in itertools.product(*(CHOICES[one] for one in names)):
            params = {"dataset": datasets[name], **dict(zip(names, values, strict=True))}
            seen += agreeing(store, query_id, params)
    assert seen


@pytest.mark.parametrize("query_id", [id for id in WITH_FACTS if id.startswith("browse/")])  # noqa: A001
def test_a_picture_of_part_of_them_says_how_many(
    store: GraphStore, datasets: dict[str, str], query_id: str
) -> None:
    params = {"epsilon": 1.0, "k": 2, "run": "run", "record": "t1", "hamming_group": 0}
    asked = {
        param.name: params[param.name]
        for param in query(query_id).params
        if param.name != "dataset"
    }
    assert agreeing(store, query_id, {"dataset": datasets["apart"], **asked})


def agreeing(store: GraphStore, query_id: str, params: dict[str, Any]) -> int:
    """Hold an answer to the facts of its header; return how many rows or nodes were compared."""
    answer, seen = store.run(query_id, **params).dicts(), 0
    assert not any(row.get("problem") for row in answer)
    for fact in facts_of(query_id):
        if fact.most:
            (key,) = query(fact.list).key
            wanted = {row[key] for row in rows_of(store, fact, params, {})}
            nodes = [
                row[column] for row in answer for column in fact.columns if row[column] is not None
            ]
            drawn = {
                one["properties"][PLACE[(PLACE.keys() & one["labels"]).pop()]] for one in nodes
            }
            assert drawn <= wanted, fact.text
            assert len(drawn) == min(fact.most, len(wanted)), fact.text
            seen += 1
        for row in answer if not fact.most else ():
            (column,) = fact.columns
            assert row[column] == len(rows_of(store, fact, params, row)), fact.text
            seen += 1
    return seen


def rows_of(
    store: GraphStore, fact: Fact, params: dict[str, Any], row: dict[str, Any]
) -> list[dict[str, Any]]:
    known = {**row, **params, **fact.given}
    asked = {param.name: known[param.name] for param in query(fact.list).params}
    found = store.run(fact.list, **asked).dicts()
    assert not any(one.get("problem") for one in found)
    if fact.by is not None:
        found = [one for one in found if one[fact.by] == known[fact.by]]
    if fact.flags:
        held = [
            any(one[flag] is not None and one[flag] is not False for flag in fact.flags)
            for one in found
        ]
        found = [one for one, holds in zip(found, held, strict=True) if holds == fact.kept]
    return found


@pytest.mark.parametrize("query_id", [id for id in WITH_FACTS if id.startswith("browse/")])  # noqa: A001
def test_a_list_that_is_drawn_is_counted(query_id: str) -> None:
    for fact in facts_of(query_id):
        assert any(not Fact(one).most for _, one in facts_about(fact.list))
