"""The JSON contract ratingpriv.audit/1: keys, their order, and kinds of value."""

import pytest

import ratingpriv
from ratingpriv import audit

pytestmark = pytest.mark.small


def test_the_example_of_the_design(golden):
    found = audit(golden(2), k=2, epsilon=1, l=1.5).to_dict()
    assert [found["warnings"].pop()] == [one["message"] for one in found["cautions"]]
    # 5 and 6, of two records
    assert [found["cautions"].pop()["code"]] == ["epsilon-covers-questions"]
    assert found == {
        "schema": "ratingpriv.audit/1",
        "tool": {"version": ratingpriv.__version__, "command": None},
        "dataset": {
            "name": "table", "records": 6, "issues": 3, "sensitive": ["s"], "nominal": [],
            "ratings": 12,
            "scale": {"min": 1, "max": 7}, "quasi": [], "carried": [], "roles": None,
            "hamming_groups": 2, "singleton_hamming_groups": 0,
            "hamming_group_sizes": [{"size": 2, "groups": 1}, {"size": 4, "groups": 1}],
            "sha256": None,
            "multiline": None, "previews": 0,
        },
        "selection": None,
        "parameters": {
            "k": 2, "epsilon": 1.0, "l": 1.5, "nulls": "strict", "sensitive_nulls": "paper",
            "engine": "slicing", "max_share": None, "sensitive_kind": "interval", "distinct": None,
            "entropy": None,
            "t_closeness": None,
        },
        "satisfied": True,
        "n_violators": 0,
        "tolerance": None,
        "k_epsilon": {"satisfied": True, "max_k": 2, "violators": 0},
        "k_epsilon_l": {
            "satisfied": True, "max_l": {"s": 1.5}, "violators": 0,
            "by_rule": {
                "paper": {"satisfied": True, "max_l": {"s": 1.5}, "violators": 0},
                "ignore": {"satisfied": True, "max_l": {"s": 1.5}, "violators": 0},
            },
        },
        "max_share": None,
        "distinct": None,
        "entropy": None,
        "t_closeness": None,
        "inference": {
            "s": {
                "neighbourhoods": 6, "largest_share": 0.5, "record": "t2", "distinct": 2,
                "entropy": 1.0,
                "entropy_l": 2.0, "agreeing": 0, "alone": 0, "distance": None,
                "distance_record": None,
            },
        },
        "equal": {"max_k": 1, "unique": 6, "violators": 6},
        "risk": {"prosecutor_max": 0.5, "marketer": pytest.approx(4 / 9), "share_below_k": 0.0},
        "neighbourhood_sizes": {
            "min": 2, "median": 2.0, "mean": pytest.approx(7 / 3), "max": 3, "pairs": 4,
            "histogram": [{"size": 2, "records": 4}, {"size": 3, "records": 2}],
        },
        "exposure": None,
        "violators": [],
        "warnings": [],
        "cautions": [],
        "accepted": [],
    }  # fmt: skip


def test_what_cannot_be_learnt_is_null(table_of):
    found = audit(table_of([(1, None), (3, 2)]), k=2, epsilon=0, l=1).to_dict()
    assert found["violators"][0]["sd"] == {"s": 0.0}
    assert found["violators"][1]["sd"] == {"s": None}
    assert found["k_epsilon_l"]["max_l"] == {"s": 0.0}


def test_ids_are_text(golden):
    numbered = golden(1).to_wide("polars").drop("id")
    found = audit(type(golden(1)).from_wide(numbered, sensitive=["s"]), k=2, epsilon=1).to_dict()
    assert found["violators"][0]["record"] == "0"


def test_a_table_in_which_nothing_is_rated_has_no_scale(table_of):
    found = audit(table_of([(None, 1), (None, 1)]), k=2, epsilon=0).to_dict()
    assert found["dataset"]["scale"] is None
    assert found["k_epsilon"]["satisfied"] is True
