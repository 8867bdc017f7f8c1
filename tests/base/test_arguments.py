"""Whatever is given as an argument: what a public function raises is an error of ours, on one line.

Every parameter of each function is given every odd value, one at a time; what must not be taken
without a word is named below.
"""

import inspect
import warnings
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import ratingpriv
from ratingpriv.anonymize.methods import modify, predictive, suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base import checks
from ratingpriv.base.errors import DataError, ParameterError, RatingPrivError
from ratingpriv.data.codebook.files.toml_file import read_codebook
from ratingpriv.data.codebook.options import ReadOptions
from ratingpriv.data.formats.describing import describe
from ratingpriv.data.table import RatingTable
from ratingpriv.studies.experiment import experiment

FRAME = pl.DataFrame(
    {"id": [f"r{i}" for i in range(12)], "q1": [1, 2, 3] * 4, "q2": [1, 1, 2] * 4,
    "q3": [None, 4, 5] * 4,
     "pay": [1, 2, 3, 4] * 3}
)  # fmt: skip
LONG = pl.DataFrame({"record": ["a", "b"], "issue": ["x", "x"], "rating": [1, 2]})
TABLE = RatingTable.from_wide(FRAME, id="id", sensitive=["pay"], scale=(1, 5))
RELEASE = suppress(TABLE, k=2, epsilon=1)
AIM = {"k": 2, "epsilon": 1}
ODD = [
    5, None, "x", "", True, [1], {"a": 1}, (), object(), np.array([1, 2]), pd.NA, pl.Series([1, 2]),
    -1, 1.5,
    float("nan"), b"x", 10**30, TABLE, FRAME,
]  # fmt: skip

FUNCTIONS = {
    "audit": (ratingpriv.audit, (TABLE,), AIM),
    "frontier": (ratingpriv.frontier, (TABLE,), {"k": 2}),
    "partition": (ratingpriv.partition, (TABLE,), AIM),
    "exposure": (ratingpriv.exposure, (TABLE,), {"error": 1}),
    "known_ratings": (ratingpriv.known_ratings, (TABLE,), AIM),
    "unicity": (ratingpriv.unicity, (TABLE,), {"m": 1, "epsilon": 1}),
    "anonymize": (ratingpriv.anonymize, (TABLE,), AIM),
    "modify": (modify, (TABLE,), AIM),
    "suppress": (suppress, (TABLE,), AIM),
    "predictive": (predictive, (TABLE,), AIM),
    "attack": (ratingpriv.attack, (TABLE,), {"known": 2}),
    "utility": (ratingpriv.utility, (TABLE, TABLE), {"measures": "bias"}),
    "recommend": (
        ratingpriv.recommend,
        (TABLE,),
        {**AIM, "method": "suppress", "found_at_most": 0.9},
    ),
    "read": (ratingpriv.read, ("t.csv",), {}),
    "describe": (describe, ("t.csv",), {}),
    "from_wide": (RatingTable.from_wide, (FRAME,), {"id": "id"}),
    "from_long": (RatingTable.from_long, (LONG,), {}),
    "sample": (TABLE.sample, (0.5,), {}),
    "select_issues": (TABLE.select_issues, ("q1",), {}),
    "schema": (ratingpriv.schema, ("audit",), {}),
    "verify": (verify, ("made.csv",), {}),
    "write_release": (write_release, (RELEASE, "new.csv"), {}),
    "read_codebook": (read_codebook, ("codebook.toml",), {}),
    "experiment": (experiment, ("experiment.toml",), {}),
}
MORE = {
    "read": ReadOptions.__slots__,
    "audit": ("id", "sensitive", "quasi", "drop", "scale", "codebook"),
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.write_csv("t.csv")
    write_release(RELEASE, "made.csv")
    (tmp_path / "codebook.toml").write_text('[columns.q1]\nrole = "rating"\n')
    (tmp_path / "experiment.toml").write_text(
        'k = 2\nepsilon = 1\nmeasures = ["distortion"]\n[data.t]\npath = '
        '"t.csv"\n[method.suppress]\n'
    )
    return tmp_path


@pytest.mark.parametrize("name", FUNCTIONS)
def test_odd_arguments_raise_no_foreign_error(here, name):
    function, args, usual = FUNCTIONS[name]
    kinds = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    known = [
        one.name for one in inspect.signature(function).parameters.values() if one.kind not in kinds
    ]
    foreign = []
    for parameter in (*known, *MORE.get(name, ())):
        for value in ODD:
            for made in here.glob("new.csv*"):
                made.unlink()
            given = list(args)
            more = dict(usual)
            place = known.index(parameter) if parameter in known else len(given)
            if place < len(given):
                given[place] = value
            else:
                more[parameter] = value
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error", RuntimeWarning)
                    function(*given, **more)
            except RatingPrivError as error:
                if "\n" in str(error) and not isinstance(error, DataError):
                    foreign.append(f"{parameter}={type(value).__name__}: several lines")
            except Exception as error:  # whatever it is, it is not ours
                foreign.append(
                    f"{parameter}={type(value).__name__}: {type(error).__name__}: {error}"
                )
    assert foreign == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("frontier", {"partition": "x"}), ("audit", {"rng": "x"}),
        ("audit", {"rng": Decimal("NaN")}),
        ("audit", {"rng": np.float16(0.1)}), ("audit", {"k": np.float16(0.1)}),
        ("audit", {"k": np.int64(-1)}), ("audit", {"nulls": pd.NA}), ("audit", {"progress": 5}),
        ("read", {"rng": "x"}), ("read", {"options": 5}), ("read", {"on_detect": 5}),
        ("read", {"sensitive_scale": None}), ("from_wide", {"sensitive": None}),
        ("from_wide", {"sensitive": 5}), ("from_wide", {"id": 5}), ("utility", {"measures": 5}),
        ("utility", {"require": 5}), ("attack", {"knows": True}), ("attack", {"sweep": "x"}),
        ("attack", {"sweep": {"known": pd.NA}}), ("attack", {"sparsity": 5}),
        ("attack", {"false_positives": pl.Series([1])}),
        ("attack", {"date_error": np.array([1, 2])}),
        ("attack", {"known": "all", "unrated": pd.NA}), ("attack", {"target_ids": 5}),
        ("attack", {"algorithm": "scoreboard", "options": np.array([1, 2])}),
        ("recommend", {"k": np.array(2)}), ("recommend", {"journal": True}),
        ("verify", {"public_key": 5}),
        ("write_release", {"sign": 5}), ("write_release", {"key": 5}),
        ("write_release", {"original": 5}),
        ("write_release", {"publish_utility": 5}), ("write_release", {"publish_utility": {"a": 1}}),
        ("write_release", {"rng": "x", "ids": "keep"}), ("write_release", {"timestamps": "x"}),
    ],
)  # fmt: skip
def test_arguments_that_are_refused(here, name, arguments):
    function, args, usual = FUNCTIONS[name]
    with pytest.raises(ParameterError):
        function(*args, **{**usual, **arguments})


@pytest.mark.parametrize("name", ["read", "schema", "verify", "write_release", "experiment"])
def test_first_arguments_that_are_refused(here, name):
    function, args, usual = FUNCTIONS[name]
    with pytest.raises(ParameterError):
        function(5, *args[1:], **usual)


@pytest.mark.parametrize(
    "take", [RatingTable.from_wide, lambda frame: ratingpriv.audit(frame, **AIM)]
)
def test_a_signalling_nan_is_a_cell_of_the_data(take):
    with pytest.raises(DataError, match="column q"):
        take(pd.DataFrame({"q": [Decimal("sNaN"), Decimal(1)]}))


def test_flags_texts_and_paths():
    assert checks.flag("a", np.True_) is True
    assert checks.texts("a", np.array(["x", "y"])) == ("x", "y")
    assert checks.several(iter([1])) == [1]
    assert checks.several(np.array(2)) is None
    with pytest.raises(ParameterError, match="found b'x', expected the path of a file"):
        checks.path("a", b"x")
