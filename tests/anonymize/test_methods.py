"""``ratingpriv.anonymize(...)``: one signature for all methods,
and options that are one method's own.
"""

import pytest
from golden.tables import build, table1

import ratingpriv
from ratingpriv.anonymize.methods import METHODS, modify, suppress
from ratingpriv.base.errors import ParameterError

pytestmark = pytest.mark.small


def test_modify_is_the_default_and_options_reach_it():
    made = ratingpriv.anonymize(table1(), k=2, epsilon=1, strategy="paper")
    assert (made.method, made.satisfied) == ("modify", True)
    assert (made.parameters.strategy, made.parameters.grouping) == ("paper", "paper")
    assert made.table.n_records == table1().n_records


def test_an_option_that_the_method_does_not_have_is_refused():
    for method, option in (("suppress", "fabricate"), ("suppress", "seed"), ("modify", "stratgy")):
        with pytest.raises(ParameterError, match=f"{option}.*{method} has no such option"):
            ratingpriv.anonymize(table1(), method, k=2, epsilon=1, **{option: True})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "wrong",
    [
        {"k": 0},
        {"epsilon": -1},
        {"nulls": "x"},
        {"rng": -1},
        {"threads": 0},
        {"l": 1},
        {"method": "x"},
    ],
)
def test_arguments_out_of_range_are_named(method, wrong):
    table = build([(1, 2), (2, 2)])  # without a sensitive issue
    own = {"m": 1} if method == "blank" else {}
    with pytest.raises(ParameterError) as caught:
        ratingpriv.anonymize(table, **{"method": method, "k": 2, "epsilon": 1, **own, **wrong})
    assert [caught.value.name] == list(wrong)


def test_an_epsilon_is_needed_but_by_predictive():
    with pytest.raises(ParameterError, match=r"epsilon.*suppress has to be told"):
        ratingpriv.anonymize(table1(), "suppress", k=2)
    assert ratingpriv.anonymize(table1(), "predictive", k=2, rng=0).parameters.epsilon == 0
    assert (
        ratingpriv.anonymize(table1(), "predictive", k=2, epsilon=3, rng=0).audit.parameters.epsilon
        == 3
    )


def test_a_result_says_where_each_record_of_the_original_is():
    made = suppress(table1(), k=2, epsilon=1)
    kept = made.kept.tolist()
    expected = [
        kept.index(record) if record in kept else -1 for record in range(table1().n_records)
    ]
    assert made.pairing.tolist() == expected
    assert -1 in expected
    with pytest.raises(ValueError, match="read-only"):
        made.kept[0] = 1


def test_a_result_says_what_was_made():
    nothing = "distortion 0, 0 cells touched, 0 records suppressed"
    assert (
        repr(modify(table1(), k=1, epsilon=1))
        == f"<Anonymized by modify (k=1, ε=1): satisfied, {nothing}>"
    )
    made = suppress(table1(), k=2, epsilon=1)
    assert repr(made).startswith("<Anonymized by suppress (k=2, ε=1): satisfied, distortion ")
    assert repr(made).endswith(f", {table1().n_records - made.table.n_records} records suppressed>")
