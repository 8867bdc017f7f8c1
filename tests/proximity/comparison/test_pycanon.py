"""pyCANON as judge: with equal columns only, (k,ε)-anonymity is k-anonymity, whatever ε is.

pyCANON pins exact versions of NumPy and pandas, so nothing that is installed with it could be ours:
``pip install --no-deps pycanon`` beside the rest. It drops records with a null from its classes, so
there are none here.
"""

import functools
import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from golden.tables import build
from naive.quasi_groups import quasi_column
from properties.strategies import without_ratings

from ratingpriv import RatingTable, audit
from ratingpriv.proximity.neighbourhoods import neighbourhoods

pytestmark = pytest.mark.filterwarnings("ignore:.*the keys of `groups`")

pandas = pytest.importorskip("pandas")

REAL = {  # pyCANON's own examples, and what it takes for quasi-identifiers in them
    "adult.csv": ["age", "education", "occupation", "relationship", "sex", "native-country"],
    "hospital_extended.csv": ["age", "gender", "city"],
    "drug_type.csv": ["Education", "Country", "Gender"],
    "StudentsMath_Score.csv": ["Gender", "EthnicGroup", "ParentEduc", "TestPrep"],
}


@functools.cache
def judge():
    """pyCANON's classes of equal records."""
    module = pytest.importorskip(
        "pycanon.anonymity.utils.aux_anonymity",
        reason="pyCANON is not here: pip install --no-deps pycanon",
        exc_type=ImportError,
    )
    return module.get_equiv_class


def quasi_table(frame: pl.DataFrame, ratings: np.ndarray | None = None) -> RatingTable:
    """The columns of ``frame`` as quasi-identifiers, with ratings beside them or without any."""
    rows = [[1.0]] * len(frame) if ratings is None else ratings.tolist()
    table = build(rows, scale=None if ratings is None else (1, 5))
    table = without_ratings(table) if ratings is None else table
    return table.replace(
        quasi=tuple(quasi_column(one.name, one.to_list()) for one in frame.get_columns())
    )


def judged(frame: pl.DataFrame) -> list[int]:
    """The size of each record's class."""
    sizes = np.zeros(len(frame), dtype=np.int64)
    for members in judge()(frame.to_pandas(), frame.columns):
        sizes[members] = len(members)
    return sizes.tolist()


def sizes(table: RatingTable, epsilon: float, nulls: str) -> list[int]:
    return neighbourhoods(table, epsilon, nulls=nulls).sizes.tolist()


def test_random_tables_of_categories():
    rng = np.random.default_rng(20)
    for number in range(220):
        n, p = int(rng.integers(1, 60)), int(rng.integers(1, 5))
        columns = {f"q{i}": rng.integers(0, rng.integers(1, 6), n).astype(str) for i in range(p)}
        frame = pl.DataFrame(columns)
        expected, table = judged(frame), quasi_table(frame)
        nulls = ("strict", "wildcard", "known")[number % 3]
        assert sizes(table, float(rng.integers(0, 3)), nulls) == expected, number
        found = audit(table, k=2, epsilon=0)
        assert found.k_epsilon.max_k == min(expected)
        assert found.satisfied is (min(expected) >= 2)


@pytest.mark.parametrize(
    "columns", [["age"], ["gender", "occupation"], ["age", "gender", "occupation"]]
)
def test_the_people_of_movielens(test_data, columns):
    users = pl.read_csv(
        test_data / "ml-100k" / "u.user",
        separator="|",
        has_header=False,
        new_columns=["user", "age", "gender", "occupation", "zip"],
        schema_overrides={"age": pl.String, "zip": pl.String},
    )
    frame = users.select(columns)
    assert sizes(quasi_table(frame), 0, "strict") == judged(frame)


@pytest.mark.parametrize("name", REAL)
def test_its_own_data(name):
    folder = Path(os.environ.get("RATINGPRIV_TEST_DATA", "../shared/data")) / "pycanon"
    if not (folder / name).is_file():
        pytest.skip(f"pyCANON's example {name} is not here: its package has no data")
    frame = pl.read_csv(folder / name, infer_schema=False).drop_nulls()
    frame = frame.rename({column: column.strip() for column in frame.columns}).select(REAL[name])
    assert sizes(quasi_table(frame), 0, "strict") == judged(frame)
