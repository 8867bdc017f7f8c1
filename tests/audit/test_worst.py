"""The worst records: in the order that is promised, ties whole, and the same however the records are cut."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st

from ratingpriv import RatingTable
from ratingpriv.audit.judging import Judged
from ratingpriv.audit.result import AuditParameters, Violator
from ratingpriv.audit.worst import WorstRecords, _badness, _worse, id_order, violator, worst_first
from ratingpriv.proximity.neighbourhoods import neighbourhoods

pytestmark = pytest.mark.small

values = st.sampled_from([None, 1, 1, 2, 5])


@st.composite
def judgements(draw: st.DrawFn) -> Judged:
    """Up to nine records on one issue, with two sensitive ones, of which many tie."""
    n = draw(st.integers(1, 9))
    ratings = draw(st.lists(st.sampled_from([1, 1, 2, 5, 9]), min_size=n, max_size=n))
    hidden = [draw(st.lists(values, min_size=n, max_size=n)) for _ in range(2)]
    table = build([(rating,) for rating in ratings], hidden)
    rule, l = draw(st.sampled_from(["paper", "ignore"])), draw(st.sampled_from([None, 0.5, 3]))  # noqa: E741
    return judged(
        table, k=draw(st.integers(1, 5)), epsilon=draw(st.integers(0, 3)), l=l, sensitive_nulls=rule
    )


def judged(table: RatingTable, **asked: Any) -> Judged:
    parameters = AuditParameters(**asked)
    return Judged.of(neighbourhoods(table, parameters.epsilon, counts=True, threads=1), parameters)


def badness(of: Judged, record: int) -> tuple[int, float, float]:
    """Size, smallest SD, largest share: the last two of the issues on which something is known."""
    found, rule = of.found, of.parameters.sensitive_nulls
    sds = [float(one.sd(found.sizes, rule)[record]) for one in found.moments]
    shares = [one.largest[record] / one.known[record] for one in found.counts if one.known[record]]
    return int(found.sizes[record]), min(sds), -max(shares, default=0.0)


@given(judgements(), st.none() | st.integers(0, 10))
@settings(max_examples=200 * DEPTH)
def test_worst_first(of, show):
    every = sorted(np.flatnonzero(~of.satisfied).tolist(), key=lambda record: (badness(of, record), record))
    assert worst_first(of, show).tolist() == every[:show]
    last = badness(of, every[show - 1]) if show and show < len(every) else None
    tied = every if show is None else every[:show]
    tied += [record for record in every[len(tied) :] if badness(of, record) == last]
    assert worst_first(of, show, ties=True).tolist() == tied


def test_a_tie_is_told_by_all_three():
    """The first two tie in everything; each of the others differs from them in one thing."""
    rows = [(1,), (11,), (21,), (22,), (31,)]
    of = judged(build(rows, [(1, 1, 1, 1, None)]), k=3, epsilon=1)
    assert worst_first(of, 1, ties=True).tolist() == [0, 1]  # alone, with one value
    assert worst_first(of, 3, ties=True).tolist() == [0, 1, 4]  # alone, nothing known
    assert worst_first(of, 4, ties=True).tolist() == [0, 1, 4, 2, 3]  # two together
    for show in (0, 5, 6, None):
        assert worst_first(of, show, ties=True).tolist() == [0, 1, 4, 2, 3][:show]


def test_pairs_that_share_a_size_and_a_share_differ_by_their_sds():
    of = judged(build([(1,), (1,), (11,), (11,)], [(1, 5, 1, 2)]), k=3, epsilon=1)
    assert worst_first(of, 1, ties=True).tolist() == [2, 3]
    assert worst_first(of, 3, ties=True).tolist() == [2, 3, 0, 1]


@given(judgements())
@settings(max_examples=60 * DEPTH)
def test_a_violator_is_told_by_its_own_neighbourhood(of):
    found, rule = of.found, of.parameters.sensitive_nulls
    for record in range(len(found.sizes)):
        one = violator(of, record, "x")
        assert (one.record, one.size) == ("x", found.sizes[record])
        for moments in found.moments:
            sd = float(moments.sd(found.sizes, rule)[record])
            assert one.sd[moments.name] == (sd if math.isfinite(sd) else None)
        for counts in found.counts:
            known = int(counts.known[record])
            expected = (
                (
                    int(counts.largest[record]) / known,
                    int(counts.distinct[record]),
                    float(counts.entropy[record]),
                )
                if known
                else (None, None, None)
            )
            name = counts.name
            assert (one.share[name], one.distinct[name], one.entropy[name]) == expected


@given(judgements(), st.integers(0, 6), st.data())
@settings(max_examples=100 * DEPTH)
def test_parts_make_the_whole(of, limit, data):
    n = len(of.found.sizes)
    ids = data.draw(st.permutations([*map(str, range(n - 2)), "a", "B"][:n]))
    part = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    parts = []
    for inside in (part, ~part):
        at = np.flatnonzero(inside)
        some = Judged.of(of.found.part(at), of.parameters)
        parts.append(WorstRecords.of(some, [ids[int(i)] for i in at], limit))
    whole = WorstRecords.of(of, ids, limit)
    assert parts[0].merge(parts[1]) == parts[1].merge(parts[0]) == whole
    assert WorstRecords.from_json(whole.to_json()) == whole


def test_who_is_given_away_most():
    """The largest share, then the most known values, then the first id: never another neighbourhood's."""
    of = judged(build([(1,), (1,), (11,), (11,), (11,), (21,)], [(4, 4, 4, 4, None, 4)]), k=2, epsilon=1)
    assert WorstRecords.of(of, ["8", "b", "c", "9", "10", "7"], 0).given_away == {"issue 2": (2, 2, "8")}
    of = judged(build([(1,), (1,), (11,), (11,), (11,)], [(4, 4, 4, 4, 5)]), k=2, epsilon=1)
    assert WorstRecords.of(of, ["z", "9", "a", "1", "2"], 0).given_away == {"issue 2": (2, 2, "9")}
    of = judged(build([(1,), (11,)], [(None, None)]), k=2, epsilon=1)
    assert WorstRecords.of(of, ["1", "2"], 0).given_away == {"issue 2": None}


@pytest.mark.parametrize(
    ("one", "other", "worse"),
    [
        (None, None, None),
        (None, (1, 2, "a"), (1, 2, "a")),
        ((2, 3, "z"), (1, 2, "a"), (2, 3, "z")),
        ((1, 1, "z"), (2, 3, "a"), (1, 1, "z")),  # a share of 1, of fewer
        ((2, 4, "z"), (1, 2, "a"), (2, 4, "z")),  # of more
        ((1, 3, "a"), (3, 9, "z"), (3, 9, "z")),
        ((1, 2, "b"), (1, 2, "a"), (1, 2, "a")),
        ((1, 2, "10"), (1, 2, "9"), (1, 2, "9")),
    ],
)
def test_the_worse_of_two(one, other, worse):
    assert _worse(one, other) == _worse(other, one) == worse


def test_worst_records_of_different_audits_do_not_merge():
    one = WorstRecords(2, (), {"pay": None})
    for other in (
        WorstRecords(3, (), {"pay": None}),
        WorstRecords(2, (), {"age": None}),
        WorstRecords(2, (), {}),
    ):
        with pytest.raises(ValueError, match="do not merge"):
            one.merge(other)
    bad = dataclasses.replace(one, violators=(Violator("a", 1, {"pay": math.nan}),))
    with pytest.raises(ValueError, match="JSON compliant"):
        bad.to_json()


def test_nothing_known_is_the_least_bad():
    of_size = [
        Violator("a", 2, {"pay": 0.0, "age": None}, {"pay": 1.0, "age": None}),
        Violator("b", 2, {"pay": 0.0, "age": 3.0}, {"pay": 0.5, "age": 0.25}),
        Violator("c", 2, {"pay": 1.0}, {"pay": 0.75}),
        Violator("d", 2, {"pay": None}, {"pay": 0.5}),
        Violator("e", 2, None, {"pay": 0.25}),  # nominal
        Violator("9", 2, {"pay": None}, {"pay": None}),
        Violator("10", 2, {"pay": None}, {"pay": None}),
        Violator("1", 3, {"pay": 0.0}, {"pay": 1.0}),
    ]
    assert sorted([*of_size[5:], *of_size[:5]], key=_badness) == of_size
    assert id_order("5") < id_order("10") < id_order("05") < id_order("a")
