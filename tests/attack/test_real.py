"""The paper's findings on real data, and the tables of docs/attack.md
as their command makes them.
"""

from pathlib import Path

import pytest
from attack.attack_tables import run

import ratingpriv

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def movielens(test_data):
    return ratingpriv.read(test_data / "ml-100k")


def measures(table, **asked):
    return run(table, rng=0, **asked).measures


def test_movielens_as_the_paper_has_it(movielens):
    """943 targets: a share has a standard error of at most 0.017;
    differences of 0.05 are three of them.
    """
    dated = measures(movielens, known=8, wrong=2, date_error=14)
    undated = measures(movielens, known=8, wrong=2)
    outside = measures(movielens, known=8, wrong=2, items="not-top:100")
    further = measures(movielens, known=8, wrong=2, items="not-top:500")
    assert dated.top[1].rate > 0.98  # nearly all are pointed at
    assert dated.success.rate > 0.75
    assert dated.success.rate > undated.success.rate + 0.05
    assert outside.success.rate > undated.success.rate + 0.05
    assert further.success.rate > outside.success.rate + 0.05
    assert dated.entropy_bits.median < undated.entropy_bits.median < 3
    assert dated.false_positive.rate < 0.2
    assert dated.lift > 500


def test_the_tables_of_the_page_are_those_of_the_command(movielens, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import narayanan

    page = narayanan.PAGE.read_text(encoding="utf-8")
    attacked = narayanan.markdown(
        narayanan.HEADER, list(narayanan.attack_rows(movielens, narayanan.TABLES["ml-100k"]))
    )
    for table in (
        attacked,
        narayanan.sparsity_table(movielens),
        narayanan.theorem_table(movielens),
    ):
        assert table in page
    assert narayanan.written(page, "ml-100k", attacked) == page
    assert narayanan.written(page, "theorem", "other") != page
