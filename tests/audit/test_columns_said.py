"""What is said of a table's columns beside every result."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from ratingpriv.data.table import QuasiColumn, Roles
from ratingpriv.data.table.description import TableDescription

pytestmark = pytest.mark.small

AGE = QuasiColumn(
    "age", np.array([0, 1, 1, 2, -1, 0], dtype=np.int32), pl.Series([20.0, 30.0, 40.0]), 5.0
)
REGION = QuasiColumn(
    "region", np.zeros(6, dtype=np.int32), pl.Series(["north"]), recoded="map=regions.csv"
)  # fmt: skip


def with_columns(table):
    return replace(
        table,
        quasi=(AGE, REGION),
        carried=(pl.Series("note", list("abcdef")),),
        roles=Roles((("name", "identifier"), ("age", "quasi"), ("region", "quasi")), "0" * 64),
    )


def test_columns_are_said_with_their_rules(golden):
    said = TableDescription.of(with_columns(golden(2))).to_dict()
    assert said["quasi"] == [
        {"name": "age", "rule": "within", "within": 5.0},
        {"name": "region", "rule": "equal", "recoded": "map=regions.csv"},
    ]
    assert said["carried"] == ["note"]
    assert said["roles"] == {
        "columns": {"identifier": ["name"], "quasi": ["age", "region"]},
        "codebook": "0" * 64,
        "guessed": [],
    }
    assert AGE.rule == "within 5"
    assert QuasiColumn("pay", AGE.codes, AGE.values, 1234567.0).rule == "within 1234567"


def test_nothing_is_said_of_plain_ratings(golden):
    said = TableDescription.of(golden(2)).to_dict()
    assert (said["quasi"], said["carried"], said["roles"]) == ([], [], None)
