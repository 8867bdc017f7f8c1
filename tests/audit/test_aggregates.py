"""Aggregates say what fractions from the definitions say."""

import dataclasses
import math
import statistics
from decimal import Decimal
from fractions import Fraction
from typing import Any
from unittest import mock

import naive.inference
import naive.moments
import naive.quasi_groups
import numpy as np
import polars as pl
import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import AUDIT_NULLS, epsilons, mixed_tables, tables

from ratingpriv import AuditResult, RatingTable, audit
from ratingpriv.audit import judging
from ratingpriv.audit.conclusion import conclude
from ratingpriv.audit.judging import Aggregates, Judged
from ratingpriv.audit.records import WorstRecords, violator
from ratingpriv.audit.result import AuditParameters
from ratingpriv.audit.verdict import describe
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.numbers import as_decimal
from ratingpriv.proximity.demands import DEMANDS
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, neighbourhoods

pytestmark = pytest.mark.small

demands = st.fixed_dictionaries(
    {
        "k": st.integers(1, 6),
        "nulls": st.sampled_from(AUDIT_NULLS),
        "sensitive_nulls": st.sampled_from(["paper", "ignore"]),
        "l": st.none() | st.sampled_from([0, 0.5, 1, 1.5, 2]),
        "max_share": st.none() | st.sampled_from([0.3, 0.5, 2 / 3, 1]),
        "distinct": st.none() | st.integers(1, 4),
        "entropy": st.none() | st.sampled_from([1, 1.5, 2, 2.8284271247461903]),
        "t_closeness": st.none() | st.sampled_from([0.1, 0.25, 0.5, 1]),
        "at_most": st.none() | st.sampled_from([0, 0.25, 0.5]),
    }
)


@st.composite
def audits(draw: st.DrawFn) -> tuple[RatingTable, AuditParameters]:
    """A table, at times with words or many decimals as sensitive values,
    and what is asked of it.
    """
    table = draw(st.one_of(tables(), mixed_tables(8, 2)))
    table = dataclasses.replace(table, record_ids=pl.Series("record", range(table.n_records)))
    columns = []
    for column in table.sensitive:
        kind = draw(st.sampled_from(["as it is", "words", "thirds"]))
        values = column.values
        if kind == "thirds":
            column = dataclasses.replace(column, values=np.where(column.present, values / 3, 0.0))
        elif kind == "words":
            known, codes = np.unique(values[column.present], return_inverse=True)
            values = np.zeros(len(values))
            values[column.present] = codes
            column = dataclasses.replace(
                column, values=values, labels=tuple(map(str, known.tolist()))
            )
        columns.append(column)
    table = dataclasses.replace(table, sensitive=tuple(columns))
    asked: dict[str, Any] = draw(demands)
    if not table.numeric_sensitive:
        asked["l"] = None
    if not table.sensitive:
        asked |= dict.fromkeys(DEMANDS)
    elif asked["l"] is None:
        asked["sensitive_kind"] = draw(st.sampled_from(["interval", "nominal"]))
    return table, AuditParameters(**asked, epsilon=draw(epsilons))


def found_in(table: RatingTable, parameters: AuditParameters) -> Neighbourhoods:
    asked = {"nulls": parameters.nulls, "counts": parameters.counting, "resources": Resources(1)}
    return neighbourhoods(table, parameters.epsilon, **asked)


@given(audits(), st.integers(1, 3))
@settings(max_examples=60 * DEPTH)
def test_blocks_of_any_size_are_concluded_as_one(drawn, size):
    table, parameters = drawn
    asked = dataclasses.asdict(parameters)
    whole = audit(table, **asked)
    with mock.patch.object(judging, "_BLOCK", size):
        in_blocks = audit(table, **asked)
        assert in_blocks.to_dict() == whole.to_dict()
        assert in_blocks.to_frame().equals(whole.to_frame())


@given(audits())
@settings(max_examples=30 * DEPTH)
def test_aggregates_beside_fractions_from_the_definitions(drawn):
    table, parameters = drawn
    near = naive.quasi_groups.neighbourhoods(table, parameters.epsilon, parameters.nulls)
    nominal = [column.name for column in table.sensitive if column.nominal]
    found = Aggregates.of(Judged.of(found_in(table, parameters), parameters, nominal))
    sizes = [len(records) for records in near]
    assert found.sizes.entries == tuple(sorted((size, sizes.count(size)) for size in set(sizes)))
    assert (found.sizes.median, found.sizes.mean) == (
        statistics.median(sizes),
        statistics.mean(sizes),
    )
    assert found.sizes.mean_inverse == float(
        sum((Fraction(1, size) for size in sizes), Fraction()) / len(sizes)
    )
    assert found.pairs in (None, sum(size - 1 for size in sizes) // 2)
    large = [size >= parameters.k for size in sizes]
    broken = {rule: [not one for one in large] for rule in ("paper", "ignore")}
    unmet = [not one for one in large]
    for issue, column in zip(found.issues, table.sensitive, strict=True):
        groups = [naive.moments.values(column, records) for records in near]
        shares = [
            (naive.inference.largest_share(group), size)
            for group, size in zip(groups, sizes, strict=True)
        ]
        known = [share for share, _ in shares if share is not None]
        assert (issue.neighbourhoods, issue.share) == (len(known), max(known, default=None))
        assert issue.above == sum(share > parameters.share_limit for share in known)
        assert issue.agreeing == sum(share == 1 and size > 1 for share, size in shares)
        assert issue.alone == sum(share == 1 and size == 1 for share, size in shares)
        counted = [group for group in groups if naive.inference.counts(group)]
        assert issue.distinct == min(map(naive.inference.distinct, counted), default=None)
        if issue.entropy_l is not None:
            above = math.nextafter(issue.entropy_l, math.inf)
            assert all(naive.inference.entropy_at_least(group, issue.entropy_l) for group in groups)
            assert not all(naive.inference.entropy_at_least(group, above) for group in groups)
        everybody = naive.moments.values(column, range(table.n_records))
        ordered = not column.nominal and parameters.sensitive_kind == "interval"
        apart = [naive.inference.distance(group, everybody, ordered=ordered) for group in groups]
        if parameters.t_closeness is not None:
            assert issue.distance == max((one for one in apart if one is not None), default=None)
        for at, group in enumerate(groups):
            share = shares[at][0]
            if share is not None:
                unmet[at] |= parameters.t_closeness is not None and apart[at] > as_decimal(
                    parameters.t_closeness
                )
                unmet[at] |= parameters.max_share is not None and share > as_decimal(
                    parameters.max_share
                )
                unmet[at] |= (
                    parameters.distinct is not None
                    and naive.inference.distinct(group) < parameters.distinct
                )
                unmet[at] |= (
                    parameters.entropy is not None
                    and not naive.inference.entropy_at_least(group, parameters.entropy)
                )
        if not issue.max_l:
            continue
        exact = all(
            len(Decimal(repr(value)).as_tuple().digits) < 10 for value in column.values.tolist()
        )
        if not exact:
            return  # an SD that float64 cannot tell from l does not satisfy it
        for rule, at_rule in broken.items():
            for at, group in enumerate(groups):
                at_rule[at] |= not naive.moments.at_least(group, parameters.l, rule)
            largest = issue.max_l[rule]
            if largest is not None:
                above = math.nextafter(largest, math.inf)
                assert all(naive.moments.at_least(group, largest, rule) for group in groups)
                assert not all(naive.moments.at_least(group, above, rule) for group in groups)
    if parameters.l is not None:
        assert found.by_rule == {rule: sum(at_rule) for rule, at_rule in broken.items()}
        assert found.differing == sum(a != b for a, b in zip(*broken.values(), strict=True))
        unmet = [a or b for a, b in zip(unmet, broken[parameters.sensitive_nulls], strict=True)]
    assert found.violators == sum(unmet)


def bounded(show: int = 2, **changes: Any) -> AuditResult:
    """An audit of six records, of which four are alone, concluded without a list of them."""
    table = build([(1,), (1,), (3,), (5,), (7,), (9,)], [(1, 1, 2, 3, 4, 5)])
    parameters = AuditParameters(k=2, epsilon=1, l=0)
    judged = Judged.of(found_in(table, parameters), parameters)
    worst = WorstRecords(
        show,
        tuple(violator(judged, i, name) for i, name in ((3, "10"), (4, "b"), (5, "c"), (2, "x")))[
            :show
        ],
        {"issue 2": (2, 2, "9")},
    )
    return dataclasses.replace(
        conclude(Aggregates.of(judged), describe(table), table, worst=worst), **changes
    )


def test_a_result_without_its_records_says_where_they_are():
    result = bounded()
    for ask in (
        lambda: result.sizes,
        lambda: result.record_ids,
        lambda: result.satisfied_by_record,
        lambda: result.sd("issue 2"),
        lambda: result.counts("issue 2"),
        result.to_frame,
    ):
        with pytest.raises(ParameterError, match=r"no list of its records.*per_record"):
            ask()
    assert (result.satisfied, result.n_violators) == (False, 4)
    assert [one.record for one in result.violators(2)] == ["10", "b"]  # numbers before texts
    assert result.to_dict(show=0)["violators"] == []
    assert result.to_dict(show=0)["inference"]["issue 2"]["record"] is None
    assert result.to_dict(show=2)["inference"]["issue 2"]["record"] == "9"
    for show in (3, None):
        with pytest.raises(ParameterError, match="at most 2, the number collected of 4 violators"):
            result.violators(show)
    assert len(bounded(show=4).violators()) == 4
    with pytest.raises(ParameterError, match="at most 0"):
        bounded(worst=None).violators(1)
    assert bounded(worst=None).to_dict(show=0)["n_violators"] == 4


def test_nothing_is_concluded_from_parts_of_the_records():
    table = build([(1,), (1,), (3,)], [(1, 1, 2)])
    parameters = AuditParameters(k=2, epsilon=1)
    found = found_in(table, parameters)
    judged = Judged.of(found, parameters)
    some = Judged.of(found.part(np.array([0, 1])), parameters)
    assert not conclude(Aggregates.of(judged), describe(table), table).satisfied
    with pytest.raises(ValueError, match="of 2 records were summed up, not 3"):
        conclude(Aggregates.of(some), describe(table), table)
    worst = WorstRecords(5, (), {"issue 2": (2, 2, "1")})
    with pytest.raises(ValueError, match="worst records were not taken from"):
        conclude(Aggregates.of(judged), describe(table), table, worst=worst)
    uncounted = Judged.of(dataclasses.replace(found, counts=()), parameters)
    with pytest.raises(ValueError, match="not counted"):
        conclude(Aggregates.of(uncounted), describe(table), table)
    alone = table.take(np.array([2]))
    whole = Aggregates.of(Judged.of(found_in(alone, parameters), parameters))
    lost = tuple(dataclasses.replace(one, entropy_l=None) for one in whole.issues)
    assert [one.neighbourhoods for one in lost] == [1]
    with pytest.raises(ValueError, match="not counted"):
        conclude(dataclasses.replace(whole, issues=lost), describe(alone), alone)
