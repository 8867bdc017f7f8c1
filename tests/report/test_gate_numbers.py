"""What is not there keeps no limit: it says why; what is not exact says how far it reaches."""

import pytest

from ratingpriv.report.limits import number_of

NOWHERE = {"smallest_epsilon": {"neighbourhood": None, "reason": None}}
NOBODY = {"smallest_epsilon": {"neighbourhood": None, "reason": "nobody is near anybody"}}
USELESS = {"parameters": {"epsilon": [9]}, "rows": [{"protection": False, "max_k": 30}]}
UNMEASURED = {"suite": [{"algorithm": "scoreboard", "success": {"rate": None}}]}


@pytest.mark.parametrize(
    ("number", "document", "reason"),
    [
        ("audit max_l", {"k_epsilon_l": None}, "measured with --l"),
        (
            "audit max_l",
            {"k_epsilon_l": {"max_l": {"pay": None}}},
            "no value of a sensitive item is known",
        ),
        ("audit largest_share", {"inference": {}}, "no item is sensitive"),
        (
            "audit largest_share",
            {"inference": {"pay": {"largest_share": None}}},
            "no value of a sensitive",
        ),
        ("audit exposure_worst", {"exposure": None}, "measured with --exposure"),
        (
            "audit share_violators",
            {"n_violators": 0, "dataset": {"records": 0}},
            "there are no records",
        ),
        ("frontier smallest_epsilon", {"smallest_epsilon": None}, "searched for with --k or --l"),
        ("frontier smallest_epsilon", NOWHERE, "none protects"),
        ("frontier smallest_epsilon", NOBODY, "nobody is near anybody"),
        ("frontier max_k", {"parameters": {"epsilon": [0, 1]}}, "give --epsilon once"),
        ("frontier max_k", USELESS, "this epsilon protects nothing"),
        ("partition min_size", {"min_size": None}, "there is no group"),
        ("verify max_k", {"demanded": None, "found": None}, "the file was not counted"),
        (
            "verify max_l",
            {"demanded": None, "found": {"largest_l": None}},
            "neither claimed nor demanded",
        ),
        ("attack success", {"suite": []}, "was not run"),
        ("attack success", UNMEASURED, "no target could be attacked"),
    ],
)
def test_what_was_not_measured_says_why(number, document, reason):
    found = number_of(*number.split(), document)
    assert found.value is None
    assert reason in found.reason


def test_what_a_search_found_may_be_worse():
    exposure = {
        "worst": 5,
        "worst_exact": False,
        "certain": 2,
        "certain_exact": False,
        "of_records": 9,
    }
    worst, certain = (
        number_of("audit", f"exposure_{key}", {"exposure": exposure})
        for key in ("worst", "certain")
    )
    assert (worst.low, worst.value, worst.high) == (1, 5, 5)
    assert (certain.low, certain.value, certain.high) == (2, 2, 9)
    found = number_of("audit", "exposure_worst", {"exposure": {"worst": 0, "worst_exact": False}})
    assert (found.low, found.value, found.high) == (0, 0, 0)
    exposure.update(
        worst_exact=True, certain_exact=True, expected=0.5, expected_low=0.4, expected_high=0.6
    )
    assert number_of("audit", "exposure_worst", {"exposure": exposure}).low is None
    assert number_of("audit", "exposure_expected", {"exposure": exposure}).high == 0.6


def test_the_release_the_strongest_and_the_least_l_count():
    weak, strong = ({"rate": rate, "low": rate - 0.1, "high": rate + 0.2} for rate in (0.2, 0.6))
    suite = [
        {"algorithm": "scoreboard", "success": strong, "release": {"success": weak}},
        {"algorithm": "nearest", "success": strong, "release": {"success": strong}},
    ]
    found = number_of("attack", "success", {"suite": suite})
    assert (found.low, found.value, found.high) == (0.5, 0.6, 0.8)
    found = {"demanded": None, "found": {"largest_l": {"pay": 2.5, "age": 0.5}}}
    assert number_of("verify", "max_l", found).value == 0.5


def test_one_rate_that_is_not_measured_leaves_none():
    rates = [{"rate": 0.2, "low": 0.1, "high": 0.3}, {"rate": None, "low": None, "high": None}]
    rows = [{"algorithm": name, "success": rate} for name, rate in zip("ab", rates, strict=True)]
    assert number_of("attack", "success", {"suite": rows}).value is None
    for guessed, reason in (
        ({"pay": rates[0], "age": rates[1]}, "no value of some sensitive item could be inferred"),
        ({}, "no item is sensitive"),
    ):
        sensitive = {name: {"correct": one} for name, one in guessed.items()}
        suite = [{"algorithm": "a", "inference": {"sensitive": sensitive}}]
        found = number_of("attack", "inference", {"suite": suite})
        assert found.value is None
        assert reason in found.reason
