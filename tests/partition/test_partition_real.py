"""Partitions of real data: verified, confirmed, never fewer groups than the plain greedy."""

from pathlib import Path

import pytest

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.partition.certificate import write_certificate
from ratingpriv.partition.certificate_check import check_certificate
from ratingpriv.partition.greedy.greedy import greedy
from ratingpriv.partition.partitioning import partition


def check(table: RatingTable, k: int, epsilon: float, path: Path) -> None:
    plain = greedy(table, k, epsilon)
    found = partition(table, k=k, epsilon=epsilon)
    assert found.verification.valid
    assert found.n_groups >= plain.count > 0
    assert found.withheld <= len(plain.unplaced)
    write_certificate(found, table, path, force=True)
    assert check_certificate(path, table).holds
    assert greedy(table, k, epsilon, threads=1).labels.tolist() == plain.labels.tolist()


@pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (2, 2), (5, 3)])
def test_movielens(test_data: Path, tmp_path: Path, k: int, epsilon: float) -> None:
    check(
        ratingpriv.read(test_data / "ml-100k" / "u.data", issues="top:20"),
        k,
        epsilon,
        tmp_path / "c.json",
    )


def test_big_five(test_data: Path, tmp_path: Path) -> None:
    table = ratingpriv.read(
        test_data / "op-big5" / "data.csv", issues="E1,E2,E3,E4,E5,E6", drop=["country"]
    )
    check(table.sample(5000, rng=0), 5, 1, tmp_path / "c.json")
