"""What is drawn is what was asked for: exactly,
not on average (that is test_drawing_statistics).
"""

import math

import numpy as np
import pytest
from attack.attack_tables import dated_table, draw
from golden.tables import build

from ratingpriv.attack import positions_of, scoreboard, scoreboard_rh
from ratingpriv.base.errors import ParameterError

pytestmark = pytest.mark.small


def plenty(records=40, issues=12, *, stamps="date", seed=1):
    """Records with 0..issues ratings 1..5 and dates over 200 days."""
    rng = np.random.default_rng(seed)
    rows = [
        {
            int(i): (int(rng.integers(1, 6)), 12_000 + int(rng.integers(0, 201)))
            for i in rng.permutation(issues)[: rng.integers(0, issues + 1)]
        }
        for _ in range(records)
    ]
    rows[0] = {0: (1, 12_000), 1: (5, 12_200)}
    return dated_table(rows, issues=issues, stamps=stamps)


def truth(table, drawn):
    """The right rating and day of every entry that was drawn."""
    entry = {}
    days = None if table.timestamps is None else table.timestamps.to_list()
    for record in range(table.n_records):
        for at in range(table.indptr[record], table.indptr[record + 1]):
            day = None if days is None else days[at]
            entry[record, int(table.indices[at])] = (float(table.levels[table.codes[at]]), day)
    aux = drawn.auxiliary
    owners = np.repeat(aux.targets, aux.known)
    return [entry[int(owner), int(issue)] for owner, issue in zip(owners, aux.issues, strict=True)]


def days(drawn, table):
    import datetime

    epoch = datetime.date(1970, 1, 1)
    return np.array([(day - epoch).days for _, day in truth(table, drawn)], dtype=float)


@pytest.mark.parametrize("error", [0, 1])
@pytest.mark.parametrize("date_error", [None, 0, 3, 14])
@pytest.mark.parametrize("stamps", ["date", "seconds"])
def test_errors_stay_within_and_wrong_values_without(error, date_error, stamps):
    table = plenty(stamps=stamps)
    for seed in range(5):
        drawn = draw(table, known=4, wrong=2, rating_error=error, date_error=date_error, rng=seed)
        aux, wrong = drawn.auxiliary, drawn.wrong
        assert wrong.reshape(-1, 4).sum(axis=1).tolist() == [2] * aux.n_targets
        right = np.array([rating for rating, _ in truth(table, drawn)])
        assert np.all((np.abs(aux.ratings - right) <= error) == ~wrong)
        assert set(aux.ratings.tolist()) <= {1, 2, 3, 4, 5}
        if date_error is None:
            assert np.isnan(aux.dates).all()
            continue
        when = (
            days(drawn, table)
            if stamps == "date"
            else np.array([second / 86_400 for _, second in truth(table, drawn)])
        )
        assert np.all((np.abs(aux.dates - when) <= date_error + 1e-9) == ~wrong)
        assert np.all((aux.dates[wrong] >= 12_000) & (aux.dates[wrong] <= 12_200))
        if stamps == "date":
            assert np.all(aux.dates == np.floor(aux.dates))


def test_too_few_ratings_are_skipped_and_counted_or_refused():
    table = plenty()
    lengths = np.diff(table.indptr)
    drawn = draw(table, known=5, rng=1)
    assert drawn.auxiliary.n_targets + drawn.could_not_attack == 40
    assert drawn.could_not_attack == (lengths < 5).sum() > 0
    assert drawn.skipped.tolist() == np.flatnonzero(lengths < 5).tolist()
    assert drawn.auxiliary.targets.tolist() == np.flatnonzero(lengths >= 5).tolist()
    assert drawn.reasons == {"fewer than 5 ratings": drawn.could_not_attack}
    with pytest.raises(ParameterError, match=r"known: found 5.*have fewer"):
        draw(table, known=5, short="refuse", rng=1)
    assert draw(table, targets=[0], known=2, short="refuse").could_not_attack == 0
    nobody = draw(table, known=13, rng=1)
    assert (nobody.auxiliary.n_targets, nobody.could_not_attack) == (0, 40)
    assert draw(table, known=2, rng=1).reasons == {"fewer than 2 ratings": (lengths < 2).sum()}


def test_items_outside_the_most_rated():
    table = plenty(200)
    counts = np.bincount(table.indices, minlength=table.n_issues)
    top = np.argsort(-counts, kind="stable")[:4]
    drawn = draw(table, known=3, items="not-top:4", rng=2)
    assert not set(drawn.auxiliary.issues.tolist()) & set(top.tolist())
    outside = [int((~np.isin(table.support(r), top)).sum()) for r in range(200)]
    assert drawn.could_not_attack == sum(number < 3 for number in outside)
    assert list(drawn.reasons) == ["fewer than 3 ratings outside the 4 most rated items"]


def test_the_rarest_items():
    table = plenty(200)
    counts = np.bincount(table.indices, minlength=table.n_issues)
    aux = draw(table, known=3, items="rarest", rng=2).auxiliary
    for t, target in enumerate(aux.targets.tolist()):
        mine = np.sort(counts[table.support(target)])[:3]
        assert (
            np.sort(counts[aux.issues[aux.indptr[t] : aux.indptr[t + 1]]]).tolist() == mine.tolist()
        )


def test_targets_by_number_position_and_id():
    table = plenty()
    assert draw(table, known=1).auxiliary.n_targets + draw(table, known=1).could_not_attack == 40
    some = draw(table, targets=7, known=1, rng=3)
    assert some.parameters["targets"] == 7
    chosen = draw(table, targets=[5, 3, 39], known=1, short="skip")
    assert chosen.auxiliary.n_targets + chosen.could_not_attack == 3
    assert positions_of(table, ["t3", "t0"]).tolist() == [3, 0]
    numbered = build([(1, 2), (2, 1)]).replace(
        record_ids=table.record_ids[:2].str.slice(1).cast(int)
    )
    assert positions_of(numbered, [1, "0"]).tolist() == [1, 0]
    for targets in (0, 41, 2.5, [40], [-1], [1, 1], [], ["t3"], True, [[1]]):
        with pytest.raises(ParameterError, match="targets"):
            draw(table, targets=targets, known=1)
    with pytest.raises(ParameterError, match="targets: found 't99'"):
        positions_of(table, ["t3", "t99"])


def test_a_seed_fixes_everything_and_is_recorded():
    table = plenty()
    arguments = {"known": 4, "wrong": 1, "rating_error": 1, "date_error": 3, "targets": 20}
    one, same, other = (draw(table, **arguments, rng=seed) for seed in (8, 8, 9))
    for name in ("targets", "issues", "ratings", "dates"):
        assert np.array_equal(getattr(one.auxiliary, name), getattr(same.auxiliary, name))
        assert not np.array_equal(getattr(one.auxiliary, name), getattr(other.auxiliary, name))
    assert one.parameters == {
        **arguments, "rating_error": 1.0, "date_error": 3.0, "items": "uniform",
        "unrated": 0, "knows_count": None, "knows": [], "short": "skip", "seed": 8,
    }  # fmt: skip
    generated = draw(table, **arguments, rng=np.random.default_rng(1))
    again = draw(table, **arguments, rng=generated.parameters["seed"])
    assert np.array_equal(generated.auxiliary.ratings, again.auxiliary.ratings)
    unpredictable = draw(table, **arguments)
    assert unpredictable.parameters["seed"] != draw(table, **arguments).parameters["seed"]


def test_with_one_seed_more_knowledge_is_about_the_same_targets_and_issues():
    table = plenty()
    few, many = (draw(table, targets=30, known=known, rng=6) for known in (2, 5))
    assert set(few.skipped.tolist()) <= set(many.skipped.tolist())
    for t, target in enumerate(many.auxiliary.targets.tolist()):
        s = few.auxiliary.targets.tolist().index(target)
        assert set(few.auxiliary.issues[2 * s : 2 * s + 2]) <= set(
            many.auxiliary.issues[5 * t : 5 * t + 5]
        )
    undated = draw(table, targets=30, known=5, wrong=2, date_error=3, rng=6)
    assert np.array_equal(undated.auxiliary.issues, many.auxiliary.issues)


@pytest.mark.parametrize(
    "arguments",
    [
        {"known": 0}, {"known": 2, "wrong": 3}, {"wrong": -1}, {"rating_error": -1},
        {"rating_error": math.nan}, {"date_error": -1}, {"items": "popular"},
        {"items": "not-top:0"},
        {"items": "not-top:12"}, {"items": "not-top:x"}, {"items": 3}, {"short": "drop"},
        {"rng": -1}, {"known": 2.5}, {"known": "most"}, {"known": "all", "wrong": 1},
        {"unrated": -1},
        {"unrated": 2}, {"wrong": 1, "unrated": 2}, {"unrated": 0.5}, {"knows_count": 1},
        {"knows_count": -0.1}, {"knows_count": math.nan},
    ],
    ids=str,
)  # fmt: skip
def test_bad_arguments_are_refused(arguments):
    with pytest.raises(ParameterError):
        draw(plenty(), **{"known": 2, **arguments})


def test_a_wrong_value_must_exist():
    table = plenty()
    assert draw(table, known=2, wrong=1, rating_error=1, rng=0).auxiliary.n_targets
    with pytest.raises(ParameterError, match="rating_error: found 2"):
        draw(table, known=2, wrong=1, rating_error=2, rng=0)  # nothing is more than 2 away from 3
    assert draw(table, known=2, rating_error=2, rng=0).auxiliary.n_targets
    with pytest.raises(ParameterError, match="rating_error"):
        draw(build([(1, 1), (1, 1)]), known=1, wrong=1)


def test_a_wrong_date_must_exist():
    table = plenty()  # 12,000 .. 12,200: the date in the middle has 100 days on each side
    assert draw(table, known=2, wrong=1, date_error=99, rng=0).auxiliary.n_targets
    with pytest.raises(ParameterError, match="date_error: found 100"):
        draw(table, known=2, wrong=1, date_error=100, rng=0)
    assert draw(table, known=2, date_error=100, rng=0).auxiliary.n_targets


def test_dates_of_a_table_without_any_are_refused():
    with pytest.raises(ParameterError, match="without timestamps"):
        draw(plenty(stamps="none"), known=2, date_error=3)


def test_an_unknown_date_stays_unknown():
    table = dated_table([{0: (1, None), 1: (2, 12_000)}, {0: (3, 12_030), 1: (2, None)}])
    aux = draw(table, known=2, wrong=1, date_error=3, rng=1).auxiliary
    assert np.isnan(aux.dates).tolist() == [True, False, False, True]


def test_decimal_errors_are_decimals():
    table = build([(0.1, 0.3), (0.5, 0.7), (0.9, 0.3)])
    drawn = draw(table, known=2, rating_error=0.2, wrong=1, rng=0)
    right = np.array([rating for rating, _ in truth(table, drawn)])
    apart = np.rint(np.abs(drawn.auxiliary.ratings - right) * 10)
    assert np.all((apart <= 2) == ~drawn.wrong)


def test_nobody_to_attack_is_no_error():
    empty = build([(None, None), (None, None)])
    for items in ("uniform", "rarest", "not-top:1"):
        drawn = draw(empty, known=1, wrong=1, items=items, rng=0)
        assert (drawn.auxiliary.n_targets, drawn.could_not_attack) == (0, 2)
        for algorithm in (scoreboard, scoreboard_rh):
            found = algorithm(empty, drawn.auxiliary)
            assert found.best.shape == (0,)
            assert found.candidates.shape == (0, 10)
            assert found.within(1).shape == (0,)


def test_unrated_issues_are_none_of_the_targets():
    table = plenty(60)
    drawn = draw(table, known=5, wrong=1, unrated=2, date_error=3, rng=6)
    aux = drawn.auxiliary
    assert set(aux.known.tolist()) == {5}
    assert drawn.unrated.reshape(-1, 5).sum(axis=1).tolist() == [2] * aux.n_targets
    assert drawn.wrong.reshape(-1, 5).sum(axis=1).tolist() == [1] * aux.n_targets
    assert not (drawn.wrong & drawn.unrated).any()
    for t, target in enumerate(aux.targets.tolist()):
        part = slice(aux.indptr[t], aux.indptr[t + 1])
        rated = np.isin(aux.issues[part], table.support(target))
        assert rated.tolist() == (~drawn.unrated[part]).tolist()
    made_up = drawn.unrated
    assert np.isin(aux.ratings[made_up], table.levels).all()
    assert ((aux.dates[made_up] >= 12_000) & (aux.dates[made_up] <= 12_200)).all()
    assert (aux.dates[made_up] % 1 == 0).all()
    assert np.isnan(draw(table, known=5, unrated=2, rng=6).auxiliary.dates).all()


def test_a_target_must_have_left_enough_issues_unrated():
    table = plenty(60)
    lengths = np.diff(table.indptr)
    drawn = draw(table, known=4, unrated=3, rng=1)
    assert drawn.reasons == {
        "fewer than 1 ratings": (lengths < 1).sum(),
        "fewer than 3 unrated items": (lengths > 9).sum(),
    }
    assert drawn.could_not_attack == (lengths < 1).sum() + (lengths > 9).sum()
    assert set(drawn.skipped.tolist()) == set(
        np.flatnonzero((lengths < 1) | (lengths > 9)).tolist()
    )
    with pytest.raises(ParameterError, match="have fewer than 1 ratings"):
        draw(table, known=4, unrated=3, short="refuse", rng=1)
    with pytest.raises(ParameterError, match="have fewer than 3 unrated"):
        draw(table, targets=np.flatnonzero(lengths > 9), known=4, unrated=3, short="refuse", rng=1)
    everybody = build([(1, 2), (3, 4)])
    # not safe: nobody left anything
    assert draw(everybody, known=2, unrated=1, rng=1).could_not_attack == 2


def test_unrated_issues_are_those_that_others_rate():
    """Nobody rates issue 3, so that nobody imagines that somebody did.

    Not-top holds for them, too.
    """
    records = [{0: (1, None)}, {1: (2, None)}, {2: (2, None)}, {0: (3, None), 1: (1, None)}]
    table = dated_table(records, issues=4, stamps="none")
    drawn = draw(table, known=3, unrated=2, rng=1)
    assert {tuple(row) for row in np.sort(drawn.auxiliary.issues.reshape(-1, 3)).tolist()} == {
        (0, 1, 2)
    }
    outside = draw(plenty(60), known=3, unrated=1, items="not-top:4", rng=1)
    from ratingpriv.data.table.selection import most_rated

    assert not np.isin(outside.auxiliary.issues, most_rated(plenty(60), 4)).any()


def test_without_unrated_ones_the_draw_is_as_it_was():
    """The streams of the other draws do not move: results before and after compare."""
    drawn = draw(plenty(), known=3, wrong=1, rating_error=1, date_error=3, rng=4)
    assert drawn.auxiliary.issues[:6].tolist() == [3, 6, 8, 7, 8, 10]
    assert drawn.auxiliary.ratings[:6].tolist() == [5.0, 5.0, 2.0, 5.0, 3.0, 3.0]
