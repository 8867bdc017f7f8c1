"""``to_frame()`` of every result: the JSON's numbers, in stated types,
and what the command line writes.

The judge of the columns that are named by keys of the JSON is ``pandas.json_normalize``.
"""

import io
import math

import pandas as pd
import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.frames import frame_of
from ratingpriv.data.formats.describing import describe
from ratingpriv.data.table import RatingTable
from ratingpriv.documents.reproduce import Figure, ReproduceParameters
from ratingpriv.partition.groups import write_groups
from ratingpriv.report.reproduction import tidy_csv
from ratingpriv.report.tables import write_per_record
from ratingpriv.studies.papers.figure import figure, series
from ratingpriv.studies.papers.reproducing import Reproduction

WIDE = {
    "id": [f"p{n}" for n in range(12)], "a": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, None, 1],
    "b.c": [2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5], "pay": [1, 5, 1, 5, 1, 5, 2, 4, 2, None, 3, 3],
}  # fmt: skip
TABLE = RatingTable.from_wide(
    pl.DataFrame(WIDE), id="id", sensitive=["pay"], scale=(1, 5), name="small"
)


MEASURES = ["bias", "information_loss", "classification"]


def same(found, expected):
    if expected is None or (isinstance(expected, float) and math.isnan(expected)):
        return found is None
    return found == expected


def equal_to_json(frame, rows):
    """Every column of the frame is one of the JSON's, with its values.

    A key that no row has is null.
    """
    normal = pd.json_normalize(rows)
    assert frame.height == len(rows)
    assert len(set(frame.columns) & set(normal.columns)) > 3
    for name in frame.columns:
        expected = normal[name].tolist() if name in normal.columns else [None] * len(rows)
        assert all(map(same, frame[name].to_list(), expected)), name


def test_a_row_of_json_by_its_keys():
    rows = [{"x": {"y": 1}, "z": None}, {"x": None}, {}]
    frame = frame_of(rows, {("x", "y"): int, ("z",): bool})
    assert frame.to_dict(as_series=False) == {"x.y": [1, None, None], "z": [None] * 3}
    assert frame.schema == {"x.y": pl.Int64, "z": pl.Boolean}


def test_an_audit_is_what_per_record_writes(tmp_path):
    result = ratingpriv.audit(TABLE, k=2, epsilon=1, l=0.5, exposure=1)
    write_per_record(result, tmp_path / "a.parquet")
    write_per_record(result, tmp_path / "a.csv")
    frame = result.to_frame()
    assert frame.equals(pl.read_parquet(tmp_path / "a.parquet"))
    assert frame.equals(pl.read_csv(tmp_path / "a.csv", schema=frame.schema))
    assert frame["record"].to_list() == WIDE["id"]
    assert frame.filter(~pl.col("satisfied")).height == result.n_violators


@pytest.mark.parametrize(
    ("make", "rows"),
    [
        (lambda: ratingpriv.frontier(TABLE, k=2), lambda found: found["rows"]),
        (
            lambda: ratingpriv.frontier(TABLE, epsilon=[0, 1], partition=False),
            lambda found: found["rows"],
        ),
        (lambda: ratingpriv.attack(TABLE, known=1), lambda found: found["suite"]),
        (
            lambda: ratingpriv.attack(TABLE, TABLE, truth="ids", known=1),
            lambda found: found["suite"],
        ),
        (
            lambda: ratingpriv.utility(TABLE, TABLE, truth="ids", measures=MEASURES),
            lambda found: [{"measure": name, **found[name]} for name in reversed(MEASURES)],
        ),
    ],
)
def test_a_result_is_its_rows(make, rows):
    result = make()
    equal_to_json(result.to_frame(), rows(result.to_dict()))


def test_what_was_not_looked_for_has_its_columns_and_a_measure_its_reason():
    frame = ratingpriv.frontier(TABLE, epsilon=[0, 1], partition=False).to_frame()
    assert frame.schema["max_l.pay"] == frame.schema["partition.min_sd.pay"] == pl.Float64
    assert frame.schema["satisfied"] == frame.schema["partition.found"] == pl.Boolean
    assert "difference.rate" not in ratingpriv.attack(TABLE, known=1).to_frame().columns
    result = ratingpriv.utility(TABLE, TABLE, truth="ids", measures=MEASURES)
    reasons = result.to_frame().filter(pl.col("value").is_null())["reason"].to_list()
    assert reasons == [result["classification"].reason]


def test_a_partition_is_what_the_groups_file_has(tmp_path):
    for k, epsilon in ((2, 5), (2, 0)):
        result = ratingpriv.partition(TABLE, k=k, epsilon=epsilon)
        path = tmp_path / f"{epsilon}.csv"
        write_groups(result.groups, TABLE, path)
        assert result.to_frame().equals(pl.read_csv(path, schema=result.to_frame().schema))
        assert result.to_frame()["group"].null_count() == result.withheld
    assert result.withheld > 0


def test_an_exposure_says_nothing_of_records_that_were_not_examined():
    result = ratingpriv.exposure(TABLE, error=1)
    frame = result.to_frame()
    assert frame["worst"].to_list() == result.worst_by_record.tolist()
    assert frame["expected"].to_list() == result.expected_by_record.tolist()
    audited = ratingpriv.audit(TABLE, k=2, epsilon=1, exposure=1).to_frame()
    for name in ("expected", "worst", "worst_exact"):
        assert frame[name].to_list() == audited[f"exposure_{name}"].to_list()


@pytest.mark.parametrize("x", [(1.0, 2.5), ("=a", "b")])
def test_points_of_a_figure_are_those_of_its_file(x):
    one = figure("ns08-1")
    drawn = series(
        "ours", x, (0.5, None), panel=one.panels[0].name, low=(0.25, None), note="n", data="small"
    )
    panels, rest = list(one.panels), ([], [], [])
    made = Figure(
        one.name, one.title, one.source, one.kind, ["small"], True, None, panels, [drawn], *rest
    )
    frame = Reproduction(ReproduceParameters({}, 0, True), (made,)).to_frame()
    file = pl.read_csv(io.StringIO(tidy_csv(made)), schema=frame.schema)
    assert frame.schema["x"] == (pl.Float64 if isinstance(x[0], float) else pl.String)
    written = frame.with_columns(pl.col(pl.String).str.replace("^=", "'="))  # no formula in a .csv
    assert written.equals(file.with_columns(pl.col(pl.String).fill_null("")))


def test_a_description_is_its_columns(tmp_path):
    path = tmp_path / "small.csv"
    pl.DataFrame(WIDE).write_csv(path)
    found = describe(path)
    equal_to_json(found.to_frame(), found.to_dict()["columns"])
