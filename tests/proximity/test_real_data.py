"""Verdicts on real data are equal on both engines."""

from pathlib import Path

import numpy as np
import pytest

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.proximity.neighbourhoods import meets_k, neighbourhoods
from ratingpriv.proximity.pairs import pairs
from ratingpriv.proximity.pairwise import proximity_blocks

pytestmark = pytest.mark.deep


def check(table: RatingTable, epsilons: tuple[float, ...]) -> None:
    for nulls in ("strict", "wildcard", "known"):
        for epsilon in epsilons:
            found = neighbourhoods(table, epsilon, nulls=nulls)
            expected = neighbourhoods(table, epsilon, nulls=nulls, engine="pairwise")
            assert np.array_equal(found.sizes, expected.sizes)
            for mine, other in zip(found.moments, expected.moments, strict=True):
                assert np.array_equal(mine.known, other.known)
                assert np.array_equal(mine.sums, other.sums)
                assert np.array_equal(mine.squares, other.squares)
                for rule in ("paper", "ignore"):
                    assert mine.largest_l(found.sizes, rule) == other.largest_l(
                        expected.sizes, rule
                    )
            if nulls == "known":
                continue
            least = int(expected.sizes.min())
            assert meets_k(table, least, epsilon, nulls=nulls)
            assert not meets_k(table, least + 1, epsilon, nulls=nulls)
            near = np.concatenate([part for _, part in proximity_blocks(table, epsilon, nulls)])
            left, right = np.nonzero(np.triu(near, 1))
            blocks = list(pairs(table, epsilon, nulls=nulls))
            assert sum(map(len, blocks)) == len(left) == found.pairs
            if blocks:
                assert np.array_equal(np.concatenate([block.left for block in blocks]), left)
                assert np.array_equal(np.concatenate([block.right for block in blocks]), right)


def test_movielens_most_rated(test_data: Path) -> None:
    check(ratingpriv.read(test_data / "ml-100k" / "u.data", issues="top:20"), (0, 1, 2, 4, 5))


def test_movielens_all_films(test_data: Path) -> None:
    table = ratingpriv.read(test_data / "ml-100k" / "u.data")
    assert (table.n_records, table.n_issues) == (943, 1682)
    check(table, (0, 1, 3))


def test_netflix_part(test_data: Path) -> None:
    path = test_data / "netflix-prize-part" / "combined_data_1.first20movies.txt"
    check(ratingpriv.read(path, format="netflix", sample=2500, rng=1), (0, 1, 5))


@pytest.mark.parametrize("sensitive", [("age", "gender", "race")])
def test_big_five(test_data: Path, sensitive: tuple[str, ...]) -> None:
    table = ratingpriv.read(
        test_data / "op-big5" / "data.csv",
        null=("0",),
        sensitive=sensitive,
        sensitive_scale={"age": None},  # there are codes among the ages
        drop=("engnat", "hand", "source", "country"),
        sample=2000,
        rng=1,
    )
    assert table.n_issues == 50
    check(table, (0, 1, 2, 3))
