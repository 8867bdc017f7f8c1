"""Certificates: what holds is confirmed; whatever is changed is noticed."""

import dataclasses
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import quasi_groups as naive
from properties.strategies import NULLS, epsilons, tables

from ratingpriv import RatingTable
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.base.numbers import inexact
from ratingpriv.partition.certificate import certificate, write_certificate
from ratingpriv.partition.certificate_check import check_certificate
from ratingpriv.partition.partitioning import partition


@given(table=tables(), k=st.integers(1, 3), epsilon=epsilons, nulls=st.sampled_from(NULLS),
       rule=st.sampled_from(["paper", "ignore"]))  # fmt: skip
@settings(max_examples=30 * DEPTH)
def test_what_was_found_is_confirmed(tmp_path_factory, table, k, epsilon, nulls, rule):
    path = tmp_path_factory.mktemp("certificates") / "c.json"
    l = 0.5 if table.sensitive else None  # noqa: E741
    found = partition(table, k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=rule)
    if inexact(repr(epsilon)) is not None:
        with pytest.raises(ParameterError, match=r"epsilon: .* in a certificate; round it"):
            write_certificate(found, table, path)
        return
    write_certificate(found, table, path)
    check = check_certificate(path, table)
    assert check.holds, check.problems
    assert check.right <= (k > 1 or bool(l))
    again = check_certificate(
        path, table, k=k + 1, epsilon=epsilon, nulls=nulls, sensitive_nulls=rule
    )
    assert again.meets_demand == (not found.n_groups or found.min_size > k)
    assert (check.everybody, check.groups, check.withheld) == (
        found.found,
        found.n_groups,
        found.withheld,
    )


def changed(tmp_path: Path, change: Callable[[dict[str, Any]], None]) -> Path:
    """A certificate of table 2 in {t1..t4}, {t5, t6}, changed."""
    content = certificate(partition(table2(), k=2, epsilon=3, l=2), table2())
    change(content)
    path = tmp_path / "c.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


CHANGES: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "k": (lambda c: c["parameters"].update(k=3), "group 1: 2 records, fewer than 3"),
    "epsilon": (
        lambda c: c["parameters"].update(epsilon=2),
        "group 0: a range of more than 2 on issue 1",
    ),
    "l": (lambda c: c["parameters"].update(l=2.1), "group 1: an SD below 2.1 on issue 4"),
    "swap": (
        lambda c: (c["groups"][0]["records"].append("t5"), c["groups"][1]["records"].remove("t5")),
        "group 0: its records do not rate the same items",
    ),
    "lost": (lambda c: c["groups"][0]["records"].remove("t2"), "1 records of the data are not in"),
    "twice": (lambda c: c["withheld"].append("t2"), "withheld: its record no. 1 is duplicated"),
    "unknown": (
        lambda c: c["groups"][0]["records"].append("t9"),
        r"group 0: its record no. \d is not in the data",
    ),
    "range": (
        lambda c: c["groups"][1]["ranges"].update({"issue 1": [1, 1]}),
        "group 1: the ranges stated",
    ),
    "line": (
        lambda c: c["withheld"].append("t9\nVALID"),
        r"withheld: its record no. \d is not in the data",
    ),
    "records": (lambda c: c["dataset"].update(records=7), "6 records, and the certificate is of 7"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_whatever_is_changed_is_noticed(tmp_path: Path, name: str) -> None:
    change, message = CHANGES[name]
    check = check_certificate(changed(tmp_path, change), table2())
    assert not check.holds
    with pytest.raises(AssertionError, match=message):
        raise AssertionError("; ".join(check.problems))


NONSENSE: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "k of 0": (lambda c: c["parameters"].update(k=0), "`int` >= 1 - at `\\$.parameters.k"),
    "k true": (lambda c: c["parameters"].update(k=True), "parameters.k"),
    "k a float": (lambda c: c["parameters"].update(k=2.0), "parameters.k"),
    "epsilon below 0": (lambda c: c["parameters"].update(epsilon=-1), "parameters.epsilon"),
    "epsilon infinite": (
        lambda c: c["parameters"].update(epsilon=math.inf),
        "Infinity, which is no number",
    ),
    "epsilon of 17 digits": (
        lambda c: c["parameters"].update(epsilon=0.1 + 0.2),
        "15 significant digits",
    ),
    "epsilon of 400 digits": (
        lambda c: c["parameters"].update(epsilon=10**400),
        "of 401 characters",
    ),
    "l nan": (lambda c: c["parameters"].update(l=math.nan), "NaN, which is no number"),
    "nulls": (lambda c: c["parameters"].update(nulls="known"), "nulls: .*asymmetric"),
    "no nulls": (lambda c: c["parameters"].pop("nulls"), "field `nulls` - at `\\$.parameters"),
    "one more": (
        lambda c: c["parameters"].update(kk=100),
        "unknown field `kk` - at `\\$.parameters",
    ),
    "a list": (lambda c: c["groups"][1]["records"].append(["t1"]), r"groups\[1\].records"),
    "a boolean": (lambda c: c["withheld"].append(True), "withheld"),
    "ranges": (lambda c: c["groups"][0]["ranges"].update({"issue 1": [1]}), "length 2"),
    "a hash": (lambda c: c["dataset"].update(sha256="x"), "dataset.sha256"),
    "schema": (lambda c: c.update(schema=["ratingpriv.certificate/1"]), "schema"),
}


@pytest.mark.parametrize("name", NONSENSE)
def test_nonsense_is_refused_by_name(tmp_path: Path, name: str) -> None:
    change, message = NONSENSE[name]
    with pytest.raises(DataError, match=message) as caught:
        check_certificate(changed(tmp_path, change), table2())
    assert "expected a certificate" in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"k": 2', '"k": 2, "k": 9', "a key a second time"),
        ('"epsilon": 3.0', '"epsilon": 1e-400', "a number that float64 does not keep"),
        ('"epsilon": 3.0', '"epsilon": 3.0000000000000001', "a number that float64 does not keep"),
        (
            '"epsilon": 3.0',
            '"epsilon": 1e99999999999999999999',
            "a number that float64 does not keep",
        ),
        ('"withheld": []', '"withheld": ' + "[" * 100_000, "too deep|no JSON"),
    ],
)
def test_texts_that_say_something_else(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = changed(tmp_path, lambda _: None)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=message):
        check_certificate(path, table2())


def test_the_claim_is_part_of_the_answer(tmp_path: Path) -> None:
    """A certificate that was edited to claim less holds.

    What it claims then is for the reader to see.
    """
    check = check_certificate(
        changed(tmp_path, lambda _: None), table2(), accept=["epsilon-covers-questions"]
    )
    assert check.right
    assert (check.claim.k, check.claim.epsilon, check.claim.l, check.claim.nulls) == (
        2,
        3.0,
        2.0,
        "strict",
    )
    assert (check.records, check.groups, check.withheld_records, check.sensitive) == (
        6,
        2,
        (),
        ("issue 4",),
    )
    assert not check.hash_compared

    def claim_less(content: dict[str, Any]) -> None:
        content["parameters"].update(k=1, l=None)

    check = check_certificate(changed(tmp_path, claim_less), table2())
    assert (check.holds, check.everybody, check.right) == (True, True, False)
    assert (check.standing.reserved[0], check.sensitive) == ("k-asks-nothing", ())
    assert check_certificate(changed(tmp_path, claim_less), table2(), l=2).sensitive == ("issue 4",)
    wide = changed(tmp_path, lambda c: c["parameters"].update(epsilon=100))
    check = check_certificate(wide, table2())
    assert (check.holds, check.right) == (True, False)
    assert check.standing.reserved == ("epsilon-covers-range", "epsilon-reaches-null-distance")
    check = check_certificate(
        changed(tmp_path, lambda c: c["parameters"].update(nulls="wildcard")), table2()
    )
    assert check.standing.reserved == ("nulls-wildcard", "epsilon-covers-questions")


@pytest.mark.parametrize(
    ("demands", "met"),
    [
        ({"k": 2}, True),
        ({"k": 3}, False),
        ({"epsilon": 3}, True),
        ({"epsilon": 2.9}, False),
        ({"l": 2}, True),
        ({"l": 2.1}, False),
        ({"k": 2, "epsilon": 3, "l": 0.5, "nulls": "strict", "sensitive_nulls": "paper"}, True),
    ],
)
def test_what_is_demanded_is_counted_in_the_data(
    tmp_path: Path, demands: dict[str, Any], met: bool
) -> None:
    def claim_less(content: dict[str, Any]) -> None:
        content["parameters"].update(k=1, epsilon=6, l=0, nulls="wildcard")

    for change in (lambda _: None, claim_less):
        check = check_certificate(changed(tmp_path, change), table2(), **demands)
        if "epsilon" in demands or change is not claim_less:
            assert (check.meets_demand, check.holds) == (met, True)
        assert not check.right or met


@pytest.mark.parametrize(
    ("demands", "rules"),
    [
        ({"k": 2}, ("strict", "paper")),
        ({"nulls": "wildcard"}, ("wildcard", "paper")),
        ({"epsilon": 1, "sensitive_nulls": "ignore"}, ("strict", "ignore")),
    ],
)
def test_the_rules_of_a_demand_are_never_the_certificates(tmp_path, demands, rules):
    """Nobody demanded to count records as the same of which each rated what the other did not."""
    table = build([(1, None), (1, 5), (5, None), (None, 1)])
    found, path = partition(table, k=2, epsilon=1, nulls="wildcard"), tmp_path / "c.json"
    assert found.found
    write_certificate(found, table, path)
    check = check_certificate(path, table, accept=["nulls-wildcard"], **demands)
    assert check.demand is not None
    assert (check.demand.nulls, check.demand.sensitive_nulls) == rules
    assert (check.demand.k, check.demand.epsilon) == (2, 1)
    assert check.meets_demand is check.right is (rules[0] == "wildcard")
    for accept in ((), ["nulls-wildcard"], ["k-asks-nothing"]):
        assert check_certificate(path, table, accept=accept).right is ("nulls-wildcard" in accept)


def test_demands_have_to_be_possible(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda _: None)
    for demands in ({"k": 0}, {"epsilon": math.nan}, {"nulls": "known"}, {"kk": 3}):
        with pytest.raises(ParameterError, match=next(iter(demands))):
            check_certificate(path, table2(), **demands)
    plain = table2().replace(sensitive=())
    with pytest.raises(ParameterError, match=r"l: .* a sensitive item"):
        check_certificate(path, plain, l=1)
    assert "l is stated, but no item" in check_certificate(path, plain).problems[0]


def test_a_file_has_a_hash_that_the_certificate_names(tmp_path: Path) -> None:
    path = changed(tmp_path, lambda _: None)  # of a table in memory
    file = table2().replace(origin=dataclasses.replace(table2().origin, sha256="0" * 64))
    assert "names no SHA-256" in check_certificate(path, file).problems[0]
    named = changed(tmp_path, lambda c: c["dataset"].update(sha256="0" * 64))
    assert check_certificate(named, file).hash_compared
    assert check_certificate(named, file, accept=["epsilon-covers-questions"]).right
    other = changed(tmp_path, lambda c: c["dataset"].update(sha256="1" * 64))
    assert "another SHA-256" in check_certificate(other, file).problems[0]


def test_who_is_in_no_group_is_named(tmp_path: Path) -> None:
    def withhold(content: dict[str, Any]) -> None:
        content["withheld"] += content["groups"].pop()["records"]

    check = check_certificate(changed(tmp_path, withhold), table2())
    assert (check.holds, check.everybody, check.right) == (True, False, False)
    assert (check.withheld, check.withheld_records) == (2, ("t5", "t6"))


@pytest.mark.parametrize("text", ["", "{}", '{"schema": "ratingpriv.audit/1"}', "[1]", "nothing"])
def test_files_that_are_no_certificate(tmp_path: Path, text: str) -> None:
    path = tmp_path / "c.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="expected a certificate"):
        check_certificate(path, table2())
    with pytest.raises(DataError, match="No such file"):
        check_certificate(tmp_path / "none.json", table2())


def test_a_certificate_is_of_its_table() -> None:
    with pytest.raises(ParameterError, match="the 6 records of the result"):
        certificate(partition(table2(), k=2, epsilon=1), build([(1,)]))


def with_region() -> RatingTable:
    """Table 2, whose first four records are of one region and whose last two are of another."""
    regions = ["north", "north", "north", "north", "south", "south"]
    ages = [31, 33, 32, 31, 60, 64]
    return table2().replace(
        quasi=(naive.quasi_column("region", regions), naive.quasi_column("age", ages, 4.0))
    )


@given(st.integers(0, 10**9), st.integers(1, 10), st.integers(1, 3), st.sampled_from(NULLS),
       st.sampled_from([0.0, 1.0, 3.0]))  # fmt: skip
def test_what_was_found_with_quasi_identifiers_is_confirmed(
    tmp_path_factory, seed, n, k, nulls, epsilon
):
    rng, path = np.random.default_rng(seed), tmp_path_factory.mktemp("certificates") / "c.json"
    table = naive.random_table(rng, n)
    write_certificate(partition(table, k=k, epsilon=epsilon, nulls=nulls), table, path)
    check = check_certificate(path, table)
    assert check.holds, check.problems
    assert [rule.to_dict() for rule in check.quasi] == sorted(
        (column.to_dict() for column in table.quasi), key=lambda one: one["name"]
    )
    groups = rng.integers(0, 3, n)
    content = json.loads(path.read_text())
    members = [np.flatnonzero(groups == g) for g in np.unique(groups)]
    content["groups"] = [
        {"records": one.tolist(), "ranges": certificate_ranges(table, one)} for one in members
    ]
    content["withheld"] = []
    path.write_text(json.dumps(content))
    cliques = all(naive.is_clique(table, one.tolist(), epsilon, nulls) for one in members)
    large = all(len(one) >= k for one in members)
    assert check_certificate(path, table).holds == (cliques and large)


def test_a_certificate_says_the_rules_and_no_values_of_quasi_identifiers(tmp_path: Path) -> None:
    table = with_region()
    content = certificate(partition(table, k=2, epsilon=3, l=2), table)
    assert content["quasi"] == [
        {"name": "region", "rule": "equal"},
        {"name": "age", "rule": "within", "within": 4.0},
    ]
    assert "north" not in json.dumps(content)
    assert "quasi" not in certificate(partition(table2(), k=2, epsilon=3, l=2), table2())


@pytest.mark.parametrize(
    ("here", "said"),
    [
        ((), "age is stated as a quasi-identifier, and is none here: name it with `quasi`"),
        (("region",), "age is stated as a quasi-identifier, and is none here"),
        (("region", "age 5"), "the rule of age is stated as within 4, and is within 5 here"),
        (("region", "age equal"), "the rule of age is stated as within 4, and is equal here"),
        (
            ("region", "age", "sex"),
            "sex is a quasi-identifier here, and the certificate does not say so",
        ),
        (
            ("region recoded", "age"),
            "the rule of region is stated as equal, and is equal, level=2 here",
        ),
    ],
)
def test_other_rules_than_those_stated_are_a_problem(tmp_path, here, said):
    table = with_region()
    write_certificate(partition(table, k=2, epsilon=3, l=2), table, path := tmp_path / "c.json")
    region, age = table.quasi
    known = {
        "region": region, "age": age, "age 5": dataclasses.replace(age, within=5.0),
        "age equal": dataclasses.replace(age, within=None),
        "region recoded": dataclasses.replace(region, recoded="level=2"),
        "sex": naive.quasi_column("sex", ["f"] * 6),
    }  # fmt: skip
    found = check_certificate(path, table.replace(quasi=tuple(known[name] for name in here)))
    assert not found.right
    assert not found.holds
    assert any(said in problem for problem in found.problems), found.problems
    assert check_certificate(path, table.replace(quasi=(age, region))).holds


@pytest.mark.parametrize(
    "rule",
    [
        {"name": "age", "rule": "within"}, {"name": "age", "rule": "equal", "within": 3},
        {"name": "age", "rule": "about", "within": 3}, {"name": 3, "rule": "equal"},
        {"name": "age", "rule": "equal", "note": "x"},
        {"name": "age", "rule": "within", "within": -1},
    ],
)  # fmt: skip
def test_a_rule_that_is_none_is_refused(tmp_path: Path, rule: dict[str, Any]) -> None:
    path = changed(tmp_path, lambda content: content.update(quasi=[rule]))
    with pytest.raises(DataError, match="quasi"):
        check_certificate(path, table2())
    for rules in ([], [{"name": "a", "rule": "equal"}] * 2, {}):
        with pytest.raises(DataError, match="quasi"):
            check_certificate(
                changed(tmp_path, lambda c, rules=rules: c.update(quasi=rules)), table2()
            )


def certificate_ranges(table: RatingTable, members: Any) -> dict[str, list[float]]:
    """The least and the largest rating of every issue that a member rates."""
    found: dict[str, list[float]] = {}
    for t in members.tolist():
        for e in range(int(table.indptr[t]), int(table.indptr[t + 1])):
            found.setdefault(table.issues[table.indices[e]], []).append(
                float(table.levels[table.codes[e]])
            )
    return {name: [min(values), max(values)] for name, values in found.items()}
