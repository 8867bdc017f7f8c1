"""Data frames, arrays and sparse matrices where a table is asked for:
what pandas and scipy mean by them.
"""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
import scipy.sparse as sp

import ratingpriv
from ratingpriv.base.errors import DataError, ParameterError
from ratingpriv.data.codebook.frames import raw_of_frame
from ratingpriv.data.codebook.table_like import as_table

ROWS = {"q1": [1, 2, 1, 5], "q2": [3, 3, None, 4]}


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_every_function_takes_frames(make):
    df, table, said = make(ROWS), as_table(pl.DataFrame(ROWS)), {"k": 2, "epsilon": 1}

    def same(compute: Any, **how: Any) -> bool:
        plain = compute(table, **how).to_dict()
        return compute(df, **how).to_dict() == plain

    assert same(ratingpriv.audit, **said)
    assert same(ratingpriv.partition, **said)
    assert same(ratingpriv.frontier, k=2)
    assert same(ratingpriv.exposure, error=1)
    assert ratingpriv.anonymize(df, **said).table.n_records == 4
    assert ratingpriv.attack(table=df, release=df, truth="ids", targets=2) is not None


def test_what_is_said_of_columns():
    df = pl.DataFrame(
        {**ROWS, "sex": ["f", "m", "f", "m"], "pay": [1, 2, 3, 4], "phone": list("abcd")}
    )
    said: dict[str, Any] = {
        "quasi": ["sex"],
        "sensitive": ["pay"],
        "identifier": ["phone"],
        "scale": (1, 5),
    }
    found = ratingpriv.audit(df, k=1, epsilon=4, **said)
    assert found.sizes.tolist() == [1, 2, 1, 2]
    assert [column.name for column in as_table(df, **said).sensitive] == ["pay"]
    with pytest.raises(DataError, match="sex"):
        ratingpriv.audit(df, k=1, epsilon=4, sensitive=["pay"], identifier=["phone"])
    with pytest.raises(TypeError, match="unexpected keyword argument 'qausi'"):
        ratingpriv.audit(df, k=1, epsilon=4, qausi=["sex"])
    with pytest.raises(ParameterError, match="nothing said of its columns"):
        ratingpriv.audit(as_table(df, **said), k=1, epsilon=4, quasi=["sex"])


@pytest.mark.parametrize(
    "data",
    [[[1, 2]], None, pd.Series([1]), pl.Series([1]), pa.array([1])],
    ids=lambda one: type(one).__name__,
)
def test_what_is_no_table(data):
    with pytest.raises(ParameterError, match="a polars, pandas or arrow table"):
        ratingpriv.audit(data, k=1, epsilon=4)
    with pytest.raises(ParameterError, match="a polars, pandas or arrow table"):
        ratingpriv.audit(table=data, k=1, epsilon=4)


def test_columns_of_identifiers_are_not_looked_at():
    df = pd.DataFrame({"q": [1, 2], "mixed": [object(), "x"]})
    assert as_table(df, identifier=["mixed"]).issues == ("q",)
    for bad in (df, pd.DataFrame({"q": [1j, 2j]})):
        with pytest.raises(DataError, match="cells of several types"):
            as_table(bad)


def test_the_index_of_pandas():
    df = pd.DataFrame({"q": [1, 2, 3]})
    assert as_table(df).record_ids.to_list() == [0, 1, 2]
    assert as_table(df.set_index(pd.Index(["x", "y", "z"]))).record_ids.to_list() == ["x", "y", "z"]
    assert as_table(df[df["q"] > 1]).record_ids.to_list() == [1, 2]
    named = df.rename_axis("who")
    assert as_table(named).record_ids.to_list() == [0, 1, 2]
    assert as_table(named).origin.record_name == "who"
    other = df.assign(other=list("abc")).set_index(pd.Index([7, 8, 9]))
    assert as_table(other, id="other").record_ids.to_list() == ["a", "b", "c"]
    with pytest.raises(DataError, match="several levels"):
        as_table(df.set_index([pd.Index(list("abc")), pd.Index([1, 2, 3])]))
    with pytest.raises(DataError, match="a second time"):
        as_table(pd.concat([df, df]))
    with pytest.raises(DataError, match="an index that is called as a column is"):
        as_table(df.rename_axis("q"))


WORDS = ["no", "maybe", "yes"]


@pytest.mark.parametrize(
    "df",
    [
        pd.DataFrame({"q": pd.Categorical(["yes", None, "no"], WORDS, ordered=True)}),
        pl.DataFrame({"q": pl.Series(["yes", None, "no"], dtype=pl.Enum(WORDS))}),
        pa.table(
            {
                "q": pa.DictionaryArray.from_arrays(
                    pa.array([2, None, 0]), pa.array(WORDS), ordered=True
                )
            }
        ),
    ],
)
def test_ordered_categories_are_numbers_with_words(df):
    (column,) = raw_of_frame(df).columns
    assert column.cells.to_list() == [3, None, 1]
    assert column.labels == ((1.0, "no"), (2.0, "maybe"), (3.0, "yes"))


def test_categories_that_are_numbers_are_those_numbers():
    df = pd.DataFrame({"q": pd.Categorical([0, 5, 0], [0, 5], ordered=True)})
    (column,) = raw_of_frame(df).columns
    assert (column.cells.to_list(), column.labels) == ([0, 5, 0], ())


def test_unordered_categories_are_text():
    df = pd.DataFrame({"q": [1, 2], "g": pd.Categorical(["b", "a"])})
    assert as_table(df, quasi=["g"]).to_wide("polars")["g"].to_list() == ["b", "a"]
    with pytest.raises(DataError, match="column g"):
        as_table(df)


def test_what_spss_said_is_taken_from_attrs(tmp_path):
    frame = pd.DataFrame({"q": [1.0, 7.0, 99.0], "r": [1.0, 2.0, 3.0]})
    pyreadstat.write_sav(
        frame,
        str(tmp_path / "a.sav"),
        column_labels={"q": "How?"},
        missing_ranges={"q": [99]},
        variable_value_labels={"q": {7: "good", 1: "bad", 99: "refused"}},
    )
    df, about = pyreadstat.read_sav(str(tmp_path / "a.sav"), user_missing=True)
    df.attrs = vars(about)
    column = raw_of_frame(df).columns[0]
    assert column.cells.to_list() == [1.0, 7.0, None]
    assert (column.labels, column.question) == (((1.0, "bad"), (7.0, "good")), "How?")
    assert column.missing == {"99": 1}


def test_arrays():
    table = as_table(np.array([[1, np.nan], [2.5, 3]]))
    assert table.issues == ("1", "2")
    assert table.to_wide("polars").rows() == [(0, 1.0, None), (1, 2.5, 3)]
    masked = np.ma.masked_array([[1, 2], [3, 4]], [[False, True], [False, False]])
    assert as_table(masked).to_wide("polars").rows() == [(0, 1, None), (1, 3, 4)]
    for wrong in (np.array([1, 2]), np.array([["a"]]), np.zeros((2, 2, 2))):
        with pytest.raises(ParameterError, match="numbers in two dimensions"):
            as_table(wrong)


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_all_entries_of_a_sparse_matrix_are_ratings(make):
    entries = sp.coo_array(([0, 1, 2], ([0, 1, 1], [0, 0, 2])), shape=(3, 4))
    table = as_table(make(entries))
    assert table.to_wide("polars").rows() == [
        (0, 0, None, None, None),
        (1, 1, None, 2, None),
        (2, None, None, None, None),
    ]
    assert (
        ratingpriv.audit(make(entries), k=1, epsilon=1).sizes.tolist()
        == ratingpriv.audit(table, k=1, epsilon=1).sizes.tolist()
    )


def test_what_a_sparse_matrix_cannot_be():
    twice = sp.coo_array(([1, 2], ([0, 0], [0, 0])), shape=(2, 2))
    with pytest.raises(DataError, match="a second rating"):
        as_table(twice)
    with pytest.raises(ParameterError, match="all of it is ratings"):
        as_table(sp.csr_array((2, 2)), quasi=["1"])
    with pytest.raises(DataError, match="NaN"):
        as_table(sp.csr_array(([np.nan], ([0], [0])), shape=(1, 1)))
