"""The paper's findings on real data, and the tables of docs/attack.md as their command makes them."""

from pathlib import Path

import numpy as np
import pytest
from attack.attack_tables import compared, run

import ratingpriv
from ratingpriv.base.keys import Key
from ratingpriv.data.formats.reading import ReadOptions

pytestmark = pytest.mark.deep

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def movielens(test_data):
    return ratingpriv.read(test_data / "ml-100k")


def measures(table, **asked):
    return run(table, rng=0, **asked).measures


def test_movielens_as_the_paper_has_it(movielens):
    """943 targets: a share has a standard error of at most 0.017; differences of 0.05 are three of them."""
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


def test_the_netflix_part_as_the_paper_has_it(test_data):
    part = test_data / "netflix-prize-part"
    first = ratingpriv.read(part / "combined_data_1.first20movies.txt")
    dated, undated = (
        measures(first, known=8, wrong=2, date_error=error, false_positives=False) for error in (14, None)
    )
    assert dated.success.rate == 1
    assert undated.success.count < dated.success.count
    two = measures(first, known=2, date_error=3, false_positives=False)  # the paper: 68 %
    assert two.success.low > 0.6
    assert measures(first, known=2, targets=9000, false_positives=False).success.high < 0.1
    columns = ReadOptions(header=False, layout="long", issue="1", id="2", rating="3")
    wide = ratingpriv.read(part / "utd_subset_TestingRatings.txt", options=columns)
    assert measures(wide, known=8, wrong=2, false_positives=False).success.rate > 0.99
    anywhere, outside = (
        measures(wide, known=2, items=items, false_positives=False).success
        for items in ("uniform", "not-top:100")
    )
    assert outside.low > anywhere.high


def test_a_wrong_implementation_would_be_seen(movielens):
    """The planted mistake: dates that are given and not looked at."""
    given = measures(movielens, known=8, wrong=2, date_error=14, options={"dates": False})
    assert given.success == measures(movielens, known=8, wrong=2).success


def test_the_tables_of_the_page_are_those_of_the_command(movielens, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import narayanan

    page = narayanan.PAGE.read_text(encoding="utf-8")
    attacked = narayanan.markdown(
        narayanan.HEADER, list(narayanan.attack_rows(movielens, narayanan.TABLES["ml-100k"]))
    )
    for table in (attacked, narayanan.sparsity_table(movielens), narayanan.theorem_table(movielens)):
        assert table in page
    assert narayanan.written(page, "ml-100k", attacked) == page
    assert narayanan.written(page, "theorem", "other") != page


def test_before_and_after_this_projects_suppression(movielens):
    """Suppression changes nobody who stays: exact knowledge finds them as before."""
    from ratingpriv.anonymize.suppression.suppress import suppress

    table = movielens.take(np.arange(300)).select_issues("top:8")
    made = suppress(table, k=2, epsilon=1)
    key_of = dict(zip(made.kept.tolist(), made.table.record_ids.to_list(), strict=True))
    ids = table.record_ids.to_list()
    key = Key(tuple(ids), tuple(key_of.get(place) for place in range(len(ids))))
    before = run(table, known=4, algorithm="entropic", rng=0)
    found = compared(before, made.table, key)
    truth = before.auxiliary.targets
    gone = truth[~np.isin(truth, made.kept)]
    assert found.withheld == len(gone) > 0
    assert found.after.measures.success.count <= found.released
    assert found.of_released.rate > found.after.measures.success.rate


def test_unrated_films_mislead_and_the_number_of_films_helps(movielens):
    """[NS08, Figs 10, 12]: fewer are identified the more films are wrong; more if their number is known."""
    asked = {"known": 6, "rating_error": 1, "date_error": 14, "inference": False, "false_positives": False}
    right, some, more = (measures(movielens, unrated=unrated, **asked).success for unrated in (0, 2, 4))
    assert right.rate > some.rate + 0.05
    assert some.rate > more.rate + 0.05
    loose, counted = (measures(movielens, knows_count=count, **asked) for count in (None, 0.5))
    assert counted.success.rate > loose.success.rate + 0.02
    assert counted.entropy_bits.median < loose.entropy_bits.median


def test_who_is_found_has_all_films_read(movielens):
    """No two records are equal: profiles are disclosed where the best candidate is right, no more."""
    found = run(movielens, known=8, wrong=2, theta=1.0, rng=0)
    numbers = found.measures
    assert numbers.profile.rate == pytest.approx(numbers.top[1].rate, abs=0.002)
    assert numbers.similar.count == numbers.success.count  # nobody else's record is equal
    assert 0 < numbers.both_right.count <= numbers.success.count
    unknown = found.inference.unknown
    assert unknown.correct.low > unknown.baseline.high + 0.2
    assert unknown.error < unknown.baseline_error
    assert unknown.correct.of == int((np.diff(movielens.indptr)[found.auxiliary.targets] - 8).sum())
