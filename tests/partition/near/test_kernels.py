"""The kernels of near groups against twins in plain loops, and what an exchange never does."""

import naive.near
import numpy as np
import pytest
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import epsilons, tables

from ratingpriv import RatingTable
from ratingpriv.base.compute.compiling import pinned
from ratingpriv.base.compute.resources import Resources
from ratingpriv.partition.near import _clique, _placing
from ratingpriv.partition.near.answers import Compared
from ratingpriv.partition.near.demands import Demands
from ratingpriv.partition.near.grouping import Making

NULLS = st.sampled_from(["strict", "wildcard"])
FORMS = st.sampled_from(["plain", "plain", "plain", "compiled"])


def making(
    table: RatingTable, k: int, epsilon: float, nulls: str, *, centred: bool = True
) -> Making:
    compared = Compared.of(table, epsilon, nulls, None)
    records = max(compared.parts(), key=len)
    asked = Demands().asked(table, k).of(records)
    return Making.of(compared.answers.of(records), asked, 0, Resources(), centred=centred)


def groups(made: Making) -> list[list[int]]:
    return [np.flatnonzero(made.state.label == g).tolist() for g in range(made.count)]


def in_order(made: Making) -> None:
    """Sums, counts, bits and ranges are those of the members, who are as many as the group says."""
    for g, members in enumerate(groups(made)):
        assert sorted(made.state.members[g, : made.state.size[g]].tolist()) == members
        codes, numbers = made.answers.codes[members], made.answers.numbers[members]
        known = codes >= 0
        assert made.state.known[g].tolist() == known.sum(axis=0).tolist()
        assert np.allclose(made.state.sums[g], (numbers * known).sum(axis=0))
        barred = [made.answers.barred[t].tolist() for t in members]
        for w, (by_one, by_two) in enumerate(
            zip(made.state.barred[g], made.state.barred2[g], strict=True)
        ):
            for bit in range(64):
                bars = sum(words[w] >> bit & 1 for words in barred)
                assert (int(by_one) >> bit & 1, int(by_two) >> bit & 1) == (bars >= 1, bars >= 2)
        for c in range(codes.shape[1]):
            own = sorted(codes[known[:, c], c].tolist())
            if len(own) > 1:
                state = made.state
                ends = [part[g, c] for part in (state.low, state.low2, state.high, state.high2)]
                assert ends == [own[0], own[1], own[-1], own[-2]]


@pytest.mark.small
@given(
    table=tables(most_records=14), k=st.integers(2, 4), epsilon=epsilons, nulls=NULLS,
    centred=st.booleans(),
    form=FORMS,
)  # fmt: skip
@settings(max_examples=80 * DEPTH, deadline=None)
def test_groups_grow_as_in_plain_loops(table, k, epsilon, nulls, centred, form):
    made = making(table, k, epsilon, nulls, centred=centred)
    with pinned(form):
        made.grow()
    assert made.state.label.tolist() == naive.near.grow(made.answers, k, centred=centred)
    in_order(made)


@pytest.mark.small
@given(
    table=tables(most_records=14), k=st.integers(2, 3), epsilon=epsilons, nulls=NULLS, form=FORMS
)
@settings(max_examples=80 * DEPTH, deadline=None)
def test_who_joins_raises_the_scatter_least(table, k, epsilon, nulls, form):
    made = making(table, k, epsilon, nulls)
    made.grow()
    before = groups(made)
    for t in made.left.tolist():
        own = (made.count, made.answers, made.asked, made.state, made.space)
        open_to = {
            g: naive.near.cost(made.answers, [*members, t]) - naive.near.cost(made.answers, members)
            for g, members in enumerate(before)
            if naive.near.near(made.answers, [*members, t]) and len(members) < made.asked.most
        }
        with pinned(form):
            assert _placing.join(np.array([t]), *own) == bool(open_to)
        if open_to:
            assert open_to[int(made.state.label[t])] <= min(open_to.values()) + 1e-9
        before = groups(made)
        in_order(made)


@pytest.mark.small
@given(
    table=tables(most_records=18), k=st.integers(2, 3), epsilon=epsilons, nulls=NULLS, form=FORMS
)
@settings(max_examples=100 * DEPTH, deadline=None)
def test_exchanges_never_raise_the_scatter(table, k, epsilon, nulls, form):
    made = making(table, k, epsilon, nulls, centred=False)
    made.grow()
    made.place()
    before, left = groups(made), len(made.left)
    with pinned(form):
        made.exchange()
    after = groups(made)
    assert len(made.left) == left
    assert all(len(members) >= k and naive.near.near(made.answers, members) for members in after)
    cost = [
        sum(naive.near.cost(made.answers, members) for members in each) for each in (before, after)
    ]
    assert cost[1] <= cost[0] + 1e-9
    in_order(made)


@pytest.mark.small
@given(
    table=tables(most_records=18), k=st.integers(2, 3), epsilon=epsilons, nulls=NULLS, form=FORMS
)
@settings(max_examples=80 * DEPTH, deadline=None)
def test_finding_places_loses_nobody_and_no_clique(table, k, epsilon, nulls, form):
    made = making(table, k, epsilon, nulls)
    made.grow()
    left = len(made.left)
    with pinned(form):
        made.place()
    assert len(made.left) <= left
    assert all(
        len(members) >= k and naive.near.near(made.answers, members) for members in groups(made)
    )
    assert all(len(members) < 2 * k for members in groups(made))
    in_order(made)


def test_one_takes_the_place_of_another_who_fits_elsewhere():
    from golden.tables import build

    made = making(build([(1.0,), (2.0,), (2.0,), (3.0,), (3.0,), (0.5,)]), 2, 1, "strict")
    for g, members in enumerate([(0, 2), (3, 4)]):
        for t in members:
            _clique.add_member(t, g, made.answers, made.state)
    made.count = 2
    own = (made.count, made.answers, made.asked, made.state, made.space)
    assert _placing.join(np.array([5]), *own) == 0  # 0.5 is near 1, not near 2
    assert _placing.replace(np.array([5]), *own) == 1
    assert groups(made) == [[0, 5], [2, 3, 4]]
