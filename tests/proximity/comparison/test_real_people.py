"""ml-100k with what it says of its people as quasi-identifiers: the engine against plain sums and loops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from naive.quasi_groups import quasi_column

import ratingpriv
from ratingpriv.proximity.neighbourhoods import meets_k, neighbourhoods
from ratingpriv.proximity.pairs import pairs

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def people(test_data):
    """The table, and the columns of u.user in the order of its records."""
    folder = test_data / "ml-100k"
    table = ratingpriv.read(folder / "u.data")
    users = pl.read_csv(
        folder / "u.user",
        separator="|",
        has_header=False,
        new_columns=["user", "age", "gender", "occupation", "zip"],
        schema_overrides={"user": pl.String, "zip": pl.String},
    )
    order = pl.DataFrame({"user": table.record_ids.cast(pl.String)})
    return table, order.join(users, on="user", how="left", maintain_order="left")


@pytest.mark.parametrize("nulls", ["strict", "wildcard", "known"])
def test_both_engines_and_the_definition(people, nulls):
    table, users = people
    columns = (
        quasi_column("age", users["age"].to_list(), 5.0),
        quasi_column("gender", users["gender"].to_list()),
    )
    some = replace(table.select_issues(["50", "100", "181"]), quasi=columns)
    sizes = neighbourhoods(some, 1, nulls=nulls).sizes
    assert sizes.tolist() == neighbourhoods(some, 1, nulls=nulls, engine="pairwise").sizes.tolist()
    age, gender = users["age"].to_numpy(), users["gender"].to_numpy()
    alike = (np.abs(age[:, None] - age) <= 5) & (gender[:, None] == gender)
    for issue in range(3):
        value = np.full(len(age), np.nan)
        at = np.flatnonzero(some.indices == issue)
        record = np.searchsorted(some.indptr, at, side="right") - 1
        value[record] = some.levels[some.codes[at]]
        known = ~np.isnan(value)
        near = np.abs(value[:, None] - value) <= 1
        here, there = known[:, None], known[None]
        alike &= {
            "strict": near | (~here & ~there),
            "wildcard": near | ~here | ~there,
            "known": near | ~here,
        }[nulls]
    assert sizes.tolist() == alike.sum(axis=1).tolist()
    if nulls != "known":
        assert meets_k(some, int(sizes.min()), 1, nulls=nulls)
        assert not meets_k(some, int(sizes.min()) + 1, 1, nulls=nulls)
        listed = sum(len(block.left) for block in pairs(some, 1, nulls=nulls))
        assert listed == (int(alike.sum()) - len(age)) // 2
