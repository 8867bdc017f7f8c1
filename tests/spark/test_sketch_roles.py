"""A sketch of different cells is judged as the data are: guessed roles, refusals,
spellings of null.
"""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from ratingpriv.base.errors import DataError
from ratingpriv.data.codebook.deciding import decided
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.codebook.table_like import as_table
from ratingpriv.spark.sketch import Cells, wide_sketch

pytest.importorskip("pyarrow")
N = 400
RNG = np.random.default_rng(3)


def answers(low, high):
    return RNG.integers(low, high + 1, N).tolist()


QUESTIONS = {f"q{at}": answers(1, 5) for at in range(4)}
RARE = [1 if at % 100 == 0 else 0 for at in range(N)]
KINDS = {
    "choice": {"pet": answers(0, 1)},
    "rare choice": {"pet": RARE},
    "yes or no": {"pet": [("Yes", "No")[one] for one in RARE]},
    "true or false": {"pet": [bool(one) for one in RARE]},
    "attribute": {"age group": answers(1, 4)},
    "off the scale": {"code": answers(1, 13)},
    "one step off": {"code": answers(0, 5)},
    "one step, rarely": {"code": [0, 0, *answers(1, 5)[2:]]},
    "age": {"age": answers(18, 80)},
    "spellings": {
        "w": ["NA" if at % 7 == 0 else "" if at % 9 == 0 else str(at % 5 + 1) for at in range(N)]
    },
    "spelled once": {"w": ["N/A" if at % 7 == 0 else str(at % 5 + 1) for at in range(N)]},
}


def sketched(frame, options):
    cells = {}
    for name in frame.columns:
        counted = frame[name].drop_nulls().value_counts(name="times")
        array = counted[name].to_arrow()
        array = array.cast(pa.string()) if pa.types.is_large_string(array.type) else array
        cells[name] = Cells(
            array, counted["times"].to_numpy().astype(np.int64), frame[name].null_count()
        )
    return wide_sketch(
        decided(frame.columns, options, file="table"), cells, options, names=frame.columns,
        records=len(frame), name="table", narrow=lambda table: table,
    ).profile.table  # fmt: skip


def judged(read):
    try:
        table = read()
    except DataError as error:
        return [one.found for one in error.problems]
    return table.issues, table.guessed, table.spellings, table.roles


@pytest.mark.parametrize("kind", KINDS)
def test_a_sketch_is_judged_as_the_data(kind):
    frame = pl.DataFrame(QUESTIONS | KINDS[kind])
    assert judged(lambda: sketched(frame, ReadOptions())) == judged(lambda: as_table(frame))
