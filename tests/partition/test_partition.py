"""The driver: the papers' examples, laws on random tables, proofs of impossibility, refusals."""

import naive.partition
import numpy as np
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import NULLS, epsilons, tables

import ratingpriv
import ratingpriv.partition
from ratingpriv import RatingTable, audit
from ratingpriv.base.errors import OutputError, ParameterError
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.groups import Groups, write_groups
from ratingpriv.partition.partitioning import METHODS, partition
from ratingpriv.partition.result import PartitionResult


def sets(result: PartitionResult) -> list[list[int]]:
    return [(members + 1).tolist() for members in result.groups.members()]


@pytest.mark.small
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("table", "epsilon", "l", "groups", "sd", "less"),
    [
        (table1(), 5, None, [[1, 2, 3], [4, 5]], 2, 4),  # at 4 it holds by neighbourhoods alone
        (table2(), 1, None, [[1, 2], [3, 4], [5, 6]], 1.5, None),
        (table2(), 3, 2, [[1, 2, 3, 4], [5, 6]], 2, 2),
    ],
)
def test_the_papers_tables_by_partition(table, epsilon, l, groups, sd, less, method: str) -> None:  # noqa: E741
    found = partition(table, k=2, epsilon=epsilon, l=l, method=method)
    assert (found.found, sets(found), found.withheld) == (True, groups, 0)
    assert found.min_sd == {"issue 4": sd}
    if less is not None:
        assert not partition(table, k=2, epsilon=less, l=l, method=method).found
        assert audit(table, k=2, epsilon=less, l=l).satisfied


@pytest.mark.small
def test_what_is_impossible_is_proved() -> None:
    tight = partition(table1(), k=2, epsilon=4)
    assert tight.proved_impossible
    assert tight.reason == (
        "complete search: the component of no. 1, no. 2, no. 3 does not fall apart into cliques "
        "of 2 or more"
    )
    alone = partition(table3(), k=3, epsilon=2)
    assert alone.reason == (
        "record no. 5 has 2 records within 2, itself included, fewer than 3; 3 more have too few"
    )
    uniform = partition(table1(), k=2, epsilon=5, l=2.4)
    assert uniform.reason == (
        "the 3 records that rate the same items as no. 1 have an SD of 2.357 on issue 4; by the "
        "law of "
        "total variance no partition of them has groups of SD 2.4"
    )
    assert partition(table2(), k=7, epsilon=9).proved_impossible


@pytest.mark.small
def test_total_variance_proves_nothing_where_a_null_counts_the_mean():
    # {5, 5, null} has an SD of 2.89 by the paper's rule, more than the four records together
    table = build([(1,), (1,), (1,), (9,), (9,), (9,)], [(5, 5, None, 5, 5, None)])
    found = partition(table, k=3, epsilon=0, l=2.8)
    assert found.found
    ignoring = partition(table, k=3, epsilon=0, l=2.8, sensitive_nulls="ignore")
    assert ignoring.proved_impossible


@pytest.mark.small
@given(
    table=tables(most_records=9), k=st.integers(1, 4), epsilon=epsilons,
    nulls=st.sampled_from(NULLS),
    method=st.sampled_from(["auto", "greedy", "slicing"]),
    l=st.sampled_from([None, 0, 0.5, 1, 2.0]),
    rule=st.sampled_from(["paper", "ignore"]),
)  # fmt: skip
@settings(max_examples=80 * DEPTH)
def test_laws(table, k, epsilon, nulls, method, l, rule):  # noqa: E741
    l = l if table.sensitive else None  # noqa: E741
    found = partition(
        table, k=k, epsilon=epsilon, l=l, nulls=nulls, sensitive_nulls=rule, method=method
    )
    members = [part.tolist() for part in found.groups.members()]
    assert all(len(part) >= k for part in members)
    assert all(naive.partition.is_clique(table, part, epsilon, nulls) for part in members)
    for column in table.sensitive if l is not None else ():
        values = [
            float(v) if known else None
            for v, known in zip(column.values, column.present, strict=True)
        ]
        assert all(
            naive.partition.sd([values[t] for t in part], rule) >= (l or 0) - 1e-9
            for part in members
        )
    assert found.verification.valid
    assert found.withheld == table.n_records - sum(map(len, members))
    assert found.found == (found.withheld == 0)
    assert not (found.found and found.proved_impossible)
    assert (found.reason is None) != found.proved_impossible
    if found.found:
        assert audit(table, k=k, epsilon=epsilon, nulls=nulls).satisfied
    if method == "auto" and l is None and not found.found:
        assert found.n_groups >= greedy(table, k, epsilon, nulls=nulls).count


@given(table=tables(most_records=8), k=st.integers(2, 3), epsilon=epsilons)
@settings(max_examples=60 * DEPTH)
def test_auto_finds_or_refutes_small_components(table: RatingTable, k: int, epsilon: float) -> None:
    found = partition(table, k=k, epsilon=epsilon)
    assert found.found != found.proved_impossible
    exact = partition(table, k=k, epsilon=epsilon, method="exact")
    assert exact.found == found.found


def test_groups_with_an_sd_that_only_float_arithmetic_reaches_are_none() -> None:
    table = build([(1,)] * 4, [(1, 1, 2, 2)])
    assert partition(table, k=2, epsilon=0, l=0.5).found
    assert not partition(table, k=2, epsilon=0, l=0.5000000000000001).found


def test_json() -> None:
    found = partition(table2(), k=2, epsilon=3, l=2).to_dict()
    assert [found["warnings"].pop()] == [one["message"] for one in found["cautions"]]
    assert [found["cautions"].pop()["code"]] == ["epsilon-covers-questions"]
    assert found == {
        "schema": "ratingpriv.partition/1",
        "tool": {"version": ratingpriv.__version__, "command": None},
        "dataset": {
            "name": "table 2", "records": 6, "issues": 3, "sensitive": ["issue 4"],
            "nominal": [], "ratings": 12,
            "scale": {"min": 1, "max": 7}, "quasi": [], "carried": [], "roles": None,
            "sha256": None,
        },
        "parameters": {
            "k": 2, "epsilon": 3.0, "l": 2.0, "method": "auto", "order": "position",
            "nulls": "strict",
            "sensitive_nulls": "paper", "exact_up_to": 20,
        },
        "found": True, "proved_impossible": False, "reason": None,
        "groups": 2, "min_size": 2, "max_size": 4,
        "group_sizes": [{"size": 2, "groups": 1}, {"size": 4, "groups": 1}],
        "min_sd": {"issue 4": 2.0}, "withheld": 0,
        "method": "greedy by position, adjusted",
        "verification": {"valid": True, "problems": []}, "selection": None, "warnings": [],
        "cautions": [],
        "equal": {"max_k": 1, "unique": 6, "violators": 6}, "accepted": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "asked", "message"),
    [
        (table2().take(np.zeros(0, dtype=np.int64)), {}, "no records"),
        (build([(1,)]), {"l": 1}, "sensitive item"),
        (table2(), {"method": "magic"}, "method"),
        (
            table2(),
            {"method": "exact", "exact_up_to": 3},
            "exact_up_to: found 3, .* 4 records are in larger",
        ),
    ],
)
def test_refusals(table: RatingTable, asked: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        partition(table, k=1, epsilon=1, **asked)


def test_groups_are_written_a_row_a_record_and_over_nothing(tmp_path) -> None:
    groups, path = Groups.of_labels(np.array([0, 0, 1, 1, -1, -1])), tmp_path / "groups.csv"
    write_groups(groups, table2(), path)
    for _ in range(2):
        assert (
            path.read_text(encoding="utf-8") == "record,group\nt1,0\nt2,0\nt3,1\nt4,1\nt5,\nt6,\n"
        )
        with pytest.raises(OutputError, match="exists"):
            write_groups(groups, table2(), path)
