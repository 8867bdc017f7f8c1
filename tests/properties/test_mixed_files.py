"""Random files with attributes, codebooks, identifiers: verdict, reservations,
exit code are the oracle's.
"""

from pathlib import Path

import pytest
from depth import DEPTH
from mixed_files import mixed_file
from naive import mixed_file as oracle

import ratingpriv
from ratingpriv.base.errors import RatingPrivError


def compare(seed: int, folder: Path) -> str | None:
    """Return how an audit ended, "refused" or "answered".

    AssertionError where it is not what is right.
    """
    made = mixed_file(seed, folder)
    expected = oracle.answer(made.data, made.question, made.attributes)
    try:
        table = ratingpriv.read(made.data, **made.read)
        found = ratingpriv.audit(table, **made.audit, threads=1)
    except RatingPrivError as error:
        return f"refused: {error}"
    answered = (found.satisfied, frozenset(found.standing.reserved), found.standing.exit_code)
    right = (expected.satisfied, expected.reserved, expected.exit_code)
    assert answered == right, f"seed {seed}: {answered}, right {right}, of {made}"
    assert bool(found) is (expected.exit_code == 0)
    return None


def refused(seeds: range, folder: Path) -> list[str]:
    return [refusal for seed in seeds if (refusal := compare(seed, folder)) is not None]


def test_a_few_dozen(tmp_path):
    assert len(refused(range(40), tmp_path)) <= 4


@pytest.mark.deep
@pytest.mark.parametrize("part", range(10))
def test_thousands(tmp_path, part):
    seeds = range(10_000 + part * 100 * DEPTH, 10_000 + (part + 1) * 100 * DEPTH)
    assert len(refused(seeds, tmp_path)) <= len(seeds) / 10
