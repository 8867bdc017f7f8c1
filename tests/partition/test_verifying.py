"""Verification of groups against the definition, pair by pair."""

import math

import naive.partition
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table2
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import NULLS, epsilons, tables

from ratingpriv.base.errors import ParameterError
from ratingpriv.partition.groups import Groups
from ratingpriv.partition.verifying import verify


@pytest.mark.small
@given(
    data=st.data(),
    table=tables(),
    epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    k=st.integers(1, 4),
    rule=st.sampled_from(["paper", "ignore"]),
)
@settings(max_examples=150 * DEPTH)
def test_equals_the_definition(data, table, epsilon, nulls, k, rule):
    labels = data.draw(
        st.lists(st.integers(-1, 3), min_size=table.n_records, max_size=table.n_records)
    )
    groups = Groups.of_labels(np.array(labels))
    found = verify(table, groups, k, epsilon, nulls=nulls, sensitive_nulls=rule)
    members = [part.tolist() for part in groups.members()]
    cliques = [naive.partition.is_clique(table, part, epsilon, nulls) for part in members]
    assert found.cliques.tolist() == cliques
    assert found.sizes.tolist() == list(map(len, members))
    assert found.unplaced == labels.count(-1)
    assert found.valid == (all(cliques) and all(len(part) >= k for part in members))
    for column in table.sensitive:
        values = [
            float(v) if known else None
            for v, known in zip(column.values, column.present, strict=True)
        ]
        expected = [naive.partition.sd([values[t] for t in part], rule) for part in members]
        assert found.sd[column.name] == pytest.approx(expected, rel=1e-9, abs=1e-9)
        least = min([math.inf, *expected])
        assert found.min_sd[column.name] == (
            None if math.isinf(least) else pytest.approx(least, rel=1e-9, abs=1e-9)
        )


def test_every_kind_of_problem_is_named() -> None:
    groups = Groups.of_labels(np.array([0, 0, 0, 1, 2, 2]))  # t2, t3 are 2 apart; t4 is alone
    found = verify(table2(), groups, 2, 1, 2.4)
    assert not found.valid
    assert found.problems == (
        "group 0 (with record no. 1) has records that are not 1-proximate",
        "group 1 (with record no. 4) has fewer than 2 records",
        "group 0 (with record no. 1) has an SD below 2.4 on a sensitive item",
        "group 1 (with record no. 4) has an SD below 2.4 on a sensitive item",
        "group 2 (with record no. 5) has an SD below 2.4 on a sensitive item",
    )


def test_an_sd_of_exactly_l_is_enough() -> None:
    table = build([(1,)] * 3, [(0.1, 0.2, 0.3)])
    l = float(np.sqrt(0.02 / 3))  # noqa: E741
    groups = Groups.of_labels(np.zeros(3, dtype=np.int64))
    assert verify(
        build([(1,)] * 2, [(1, 5)]), Groups.of_labels(np.zeros(2, dtype=np.int64)), 2, 0, 2
    ).valid
    assert verify(table, groups, 3, 0, np.nextafter(l, 0) - 1e-12).valid
    assert not verify(table, groups, 3, 0, l + 1e-9).valid


def test_no_groups() -> None:
    found = verify(table2(), Groups.of_labels(np.full(6, -1)), 2, 1)
    assert found.valid
    assert (found.min_size, found.max_size, found.unplaced) == (None, None, 6)
    assert found.min_sd == {"issue 4": None}


@pytest.mark.parametrize(
    ("broken", "more"),
    [(1, ()), (5, ()), (6, ("1 more groups have",)), (9, ("4 more groups have",))],
)
def test_five_groups_are_named_and_the_others_counted(broken: int, more: tuple[str, ...]) -> None:
    table = build([(1,), (1,)] + [(1,), (5,)] * broken)
    found = verify(table, Groups.of_labels(np.repeat(np.arange(broken + 1), 2)), 2, 1)
    what = "records that are not 1-proximate"
    named = [
        f"group {g} (with record no. {2 * g + 1}) has {what}" for g in range(1, min(broken, 5) + 1)
    ]
    assert found.problems == (*named, *(f"{one} {what}" for one in more))


def test_refusals() -> None:
    groups = Groups.of_labels(np.zeros(5, dtype=np.int64))
    with pytest.raises(ParameterError, match="labels of 6 records"):
        verify(table2(), groups, 2, 1)
    with pytest.raises(ParameterError, match="sensitive item"):
        verify(build([(1,)] * 5), groups, 2, 1, 1.0)
