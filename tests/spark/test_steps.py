"""The steps that run in Python, with emulated shuffles and no Java,
against one machine's engine.
"""

import pickle
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from depth import DEPTH
from golden.tables import build, table1, table2, table3
from hypothesis import given, settings
from hypothesis import strategies as st
from properties.strategies import epsilons, mixed_tables, tables

from ratingpriv import RatingTable
from ratingpriv.audit.judging import Aggregates, Judged
from ratingpriv.audit.result import AuditParameters
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError, ResourceError
from ratingpriv.proximity.levels import null_separates, proximate_codes
from ratingpriv.proximity.neighbourhoods import neighbourhoods
from ratingpriv.spark.comparison import Comparison, Profile, ValueCounts, compare
from ratingpriv.spark.concluding import WEIGHT, Concluding, merged
from ratingpriv.spark.joining import FOUND, join

CELLS = pa.schema([
    ("grp", pa.int64()), ("i", pa.int32()), ("j", pa.int32()), ("codes", pa.list_(pa.int8())),
    ("query", pa.int64()),
    ("entries", pa.list_(pa.struct([("place", pa.int32()), ("count", pa.int64())]))),
])  # fmt: skip


def profile_of(table: RatingTable) -> Profile:
    """What a pass over the data of ``table`` finds out."""
    sensitive = []
    for column in table.sensitive:
        values, counts = np.unique(column.values[column.present], return_counts=True)
        sensitive.append(ValueCounts(column.name, values, counts, column.labels))
    return Profile(table, table.n_records, table.n_ratings, tuple(sensitive))


def rows_of(
    table: RatingTable, by: Comparison
) -> tuple[list[tuple[Any, ...]], list[int], list[Counter[int]]]:
    """(key, codes) of each different row, the row of each record, and the entries of each row."""
    rows: dict[tuple[Any, ...], int] = {}
    of, entries = [], []
    for record in range(table.n_records):
        at = slice(table.indptr[record], table.indptr[record + 1])
        equal = [int(one.codes[record]) for one in table.quasi if one.within is None]
        moving = [int(one.codes[record]) for one in table.quasi if one.within is not None]
        key: list[Any] = (
            [table.indices[at].tolist(), [code < 0 for code in moving]] if by.separates else []
        )
        codes = table.codes[at].tolist() if by.rated else []
        for code, first, null in zip(moving, by.first_code, by.null_code, strict=True):
            if code >= 0 or null is not None:
                codes.append(code + first if code >= 0 else null)
        key += [equal, codes if by.identical else []]
        number = rows.setdefault((repr(key), () if by.identical else tuple(codes)), len(rows))
        if number == len(entries):
            entries.append(Counter[int]())
        of.append(number)
        entries[number][0] += 1
        for column, one in zip(table.sensitive, by.sensitive, strict=True):
            if column.present[record]:
                known = np.unique(column.values[column.present])
                entries[number][one.first + int(np.searchsorted(known, column.values[record]))] += 1
    return list(rows), of, entries


def cut(table: pa.Table, size: int) -> Iterator[pa.RecordBatch]:
    """Batches of ``size`` rows, an empty one at times."""
    whole = table.combine_chunks().to_batches()[0]
    for number, first in enumerate(range(0, whole.num_rows, size)):
        if number % 3 == 1:
            yield whole.slice(0, 0)
        yield whole.slice(first, size)


def found_by_steps(
    table: RatingTable,
    asked: AuditParameters,
    rng: Any,
    *,
    salts: int = 1,
    size: int = 50,
    budget: int = 1 << 26,
) -> tuple[Aggregates, list[dict[str, Any]]]:
    """Return the sums, and what is found of each record, by way of every step."""
    by = compare(profile_of(table), asked.epsilon, asked.counting)
    rows, of, entries = rows_of(table, by)
    groups = {key: number for number, key in enumerate(dict.fromkeys(key for key, _ in rows))}
    own = rng.integers(0, salts, len(rows)).tolist()
    cells = []
    for query, (key, codes) in enumerate(rows):
        mine = [{"place": place, "count": count} for place, count in sorted(entries[query].items())]
        pairs = {(own[query], other) for other in range(salts)} | {
            (other, own[query]) for other in range(salts)
        }
        for i, j in sorted(pairs):
            cells.append({
                "grp": groups[key], "i": i, "j": j, "codes": codes,
                "query": query if i == own[query] else None,
                "entries": mine if j == own[query] else None,
            })  # fmt: skip
    cells.sort(key=lambda cell: (cell["grp"], cell["i"], cell["j"]))
    added = list(join(cut(pa.Table.from_pylist(cells, CELLS), size), by, budget))
    weights = [
        {"query": query, "place": WEIGHT, "count": entries[query][0]} for query in range(len(rows))
    ]
    sums = pa.Table.from_batches([*added, *pa.Table.from_pylist(weights, FOUND).to_batches()])
    sums = sums.sort_by([("query", "ascending"), ("place", "ascending")])
    results, aggregates = {}, []
    for part in np.array_split(np.arange(len(rows)), 2):  # two tasks
        here = sums.filter(pa.array(np.isin(sums.column("query").to_numpy(), part)))
        for batch in Concluding(asked, by).conclude(cut(here, size)) if here.num_rows else ():
            for row in batch.to_pylist():
                if row["summed"] is None:
                    results[row["query"]] = row
                else:
                    aggregates.append(pickle.loads(row["summed"]))  # noqa: S301 -- written here
    return merged(aggregates), [results[row] for row in of]


def refused(table: RatingTable, epsilon: float) -> bool:
    """A null keeps nobody apart, somebody has one, and ratings still do:
    no key parts the records.
    """
    _, hi = proximate_codes(table.levels, epsilon)
    apart = len(hi) > 0 and hi[0] < len(hi) - 1
    missing = table.n_ratings < table.n_records * table.n_issues
    return apart and missing and not null_separates(table.scale, epsilon, "strict")


def check(table: RatingTable, asked: AuditParameters, **way: Any) -> None:
    """The sums are those of one machine, and so is what is found of each record."""
    rng = np.random.default_rng(1)
    if refused(table, asked.epsilon):
        with pytest.raises(ParameterError, match=r"epsilon.*the scale's maximum"):
            found_by_steps(table, asked, rng, **way)
        return
    found = neighbourhoods(table, asked.epsilon, counts=asked.counting, resources=Resources(1))
    judged = Judged.of(found, asked)
    sums, records = found_by_steps(table, asked, rng, **way)
    assert sums == Aggregates.of(judged)
    assert [one["size"] for one in records] == found.sizes.tolist()
    assert [one["satisfied"] for one in records] == judged.satisfied.tolist()
    part = judged.neighbourhoods
    for j, (moments, counts) in enumerate(zip(part.moments, part.counts, strict=True)):
        sd = moments.sd(found.sizes, asked.sensitive_nulls)
        for record, one in enumerate(records):
            assert (one[f"known{j}"], one[f"largest{j}"]) == (
                counts.known[record],
                counts.largest[record],
            )
            if counts.known[record]:
                expected = (
                    sd[record],
                    counts.share()[record],
                    counts.distinct[record],
                    counts.entropy[record],
                )
                assert (
                    tuple(one[f"{what}{j}"] for what in ("sd", "share", "distinct", "entropy"))
                    == expected
                )
            else:
                assert one[f"sd{j}"] is one[f"share{j}"] is None


ways = st.fixed_dictionaries({
    "salts": st.sampled_from([1, 1, 2, 5]),
    "size": st.sampled_from([1, 3, 37, 5000]),
    "budget": st.sampled_from([1, 5_000, 1 << 26]),
})  # fmt: skip


@settings(max_examples=40 * DEPTH, deadline=None)
@given(st.one_of(tables(), mixed_tables(8, 1)), epsilons, st.sampled_from([None, 1.5, 2, 3]), ways)
def test_random_tables(
    table: RatingTable, epsilon: float, entropy: float | None, way: dict[str, Any]
) -> None:
    more: dict[str, Any] = {"entropy": entropy, "l": 1, "max_share": 0.5} if table.sensitive else {}
    check(table, AuditParameters(k=2, epsilon=epsilon, **more), **way)


@pytest.mark.parametrize("epsilon", [0, 1, 2, 5])
def test_worked_examples(epsilon: float) -> None:
    for table in (table1(), table2(), table3()):
        check(table, AuditParameters(k=2, epsilon=epsilon), salts=2)


@pytest.mark.parametrize(("salts", "budget"), [(1, 1 << 26), (3, 40_000)])
def test_a_survey_with_many_values(salts: int, budget: int) -> None:
    rng = np.random.default_rng(4)
    answers = rng.integers(1, 6, (250, 4)).astype(object)
    answers[rng.random(answers.shape) < 0.03] = None
    pay = np.round(rng.lognormal(8, 1, 250), 2)
    table = build(answers.tolist(), [pay.tolist(), rng.integers(1, 4, 250).tolist()], scale=(1, 5))
    check(
        table, AuditParameters(k=3, epsilon=1, l=1, entropy=3), salts=salts, budget=budget, size=60
    )


def test_a_query_that_is_not_in_its_own_neighbourhood_was_lost() -> None:
    by = compare(profile_of(table1()), 1)
    batch = pa.RecordBatch.from_pylist([{"query": 1, "place": WEIGHT, "count": 2}], FOUND)
    one = pa.RecordBatch.from_pylist([{"query": 1, "place": 0, "count": 1}], FOUND)
    for lost in ([batch], [batch, one]):
        with pytest.raises(ResourceError, match="rows were lost"):
            list(Concluding(AuditParameters(k=2, epsilon=1), by).conclude(lost))
