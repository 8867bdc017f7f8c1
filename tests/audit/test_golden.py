"""Every number about neighbourhoods in theory §3, on both engines."""

import pytest

from ratingpriv import audit

pytestmark = pytest.mark.small
ENGINES = ("slicing", "pairwise")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("number", "epsilon", "sizes", "deviations"),
    [
        (1, 1, [1, 2, 2, 2, 2], [0, 0, 0, 2, 2]),
        (1, 5, [3, 3, 3, 2, 2], [2.357, 2.357, 2.357, 2, 2]),
        (2, 1, [3, 2, 3, 2, 2, 2], [2.055, 2.5, 2.055, 1.5, 2, 2]),
        (2, 2, [4, 3, 4, 3, 2, 2], None),
        (3, 2, [4, 3, 4, 3, 2, 2, 2, 2], None),
    ],
)
def test_sizes_and_deviations(golden, engine, number, epsilon, sizes, deviations):
    result = audit(golden(number), k=1, epsilon=epsilon, engine=engine)
    assert result.sizes.tolist() == sizes
    if deviations is not None:
        assert result.sd("s") == pytest.approx(deviations, abs=5e-4)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("number", "k", "epsilon", "l", "holds"),
    [
        (1, 2, 5, 2, True),
        (1, 2, 4, None, True),  # t1 is 4-proximate with t3: the smallest epsilon by neighbourhoods
        (1, 2, 3, None, False),
        (2, 2, 1, 1.5, True),
        (2, 2, 1, 1.6, False),
        (2, 2, 2, 2, True),  # the smallest epsilon for l=2
        (2, 2, 1, 2, False),
        (2, 3, 2, None, False),
        (3, 2, 2, None, True),
        (3, 3, 2, None, False),  # {t5,t6} and {t7,t8} have to be merged first
    ],
)
def test_verdicts(golden, engine, number, k, epsilon, l, holds):  # noqa: E741
    assert audit(golden(number), k=k, epsilon=epsilon, l=l, engine=engine).satisfied is holds


@pytest.mark.parametrize("engine", ENGINES)
def test_deviation_of_a_whole_table(golden, engine):
    whole = {
        number: audit(golden(number), k=1, epsilon=7, engine=engine).sd("s")[0] for number in (1, 2)
    }
    assert whole == pytest.approx({1: 2.2271, 2: 2.0817}, abs=5e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_hamming_groups_and_pairs(golden, engine):
    found = audit(golden(1), k=1, epsilon=5, engine=engine).to_dict()
    assert found["dataset"]["hamming_groups"] == 2
    assert found["neighbourhood_sizes"]["pairs"] == 4
