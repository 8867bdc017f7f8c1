"""Disclosed profiles, attribute inference, success by similarity: goldens, the naive twin, laws."""

import dataclasses
import math

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import auxiliary, counts_of, dated_table, run, situations
from attack.planting import crowd
from depth import DEPTH
from hypothesis import given, settings
from hypothesis import strategies as st
from naive import attack as naive
from naive import attack_inference as by_definition

from ratingpriv import RatingTable
from ratingpriv.attack import Auxiliary, Drawn, Judging
from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.attack.evaluation import inference, learning
from ratingpriv.attack.evaluation.experiments import attack_each, experiment
from ratingpriv.attack.evaluation.learning import identical_records, least_similarity
from ratingpriv.attack.intervals import mean_probability
from ratingpriv.attack.knowledge.auxiliary import Persons, places_of
from ratingpriv.base.compute.resources import Resources
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.codebook.table_like import as_table
from ratingpriv.data.table.parts import SensitiveColumn


def twins(pairs=100, issues=12, seed=3, *, secrets=None):
    """``pairs`` pairs of identical records.

    Both of a pair have one secret, no two pairs the same.
    """
    rng = np.random.default_rng(seed)
    ratings = np.repeat(rng.integers(1, 6, (pairs, issues)), 2, axis=0)
    frame = {"id": [f"r{number}" for number in range(2 * pairs)]}
    frame |= {f"q{issue}": ratings[:, issue] for issue in range(issues)}
    frame |= {"secret": np.repeat(np.arange(pairs) if secrets is None else secrets, 2)}
    return RatingTable.from_wide(
        pl.DataFrame(frame),
        id="id",
        sensitive=["secret"],
        scale=(1, 5),
        sensitive_scale={"secret": None},
    )


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_twins_with_equal_secrets_are_found_not_safe(algorithm):
    """100 identical pairs with one secret each: nobody is named, everything is learned."""
    found = run(twins(), known=8, algorithm=algorithm, theta=1.0)
    measures = found.measures
    assert measures.success.count == (100 if found.attacked.by_coin else 0)  # of two equals one
    assert measures.top[1].rate <= 0.5
    assert measures.expected_risk.rate <= 0.5
    assert (measures.profile.count, measures.profile.of) == (200, 200)
    assert measures.similar.rate == 1  # whichever of the two is named
    secret = found.inference.sensitive["secret"]
    assert secret.correct.rate == 1
    assert secret.correct.low > 0.98
    assert secret.baseline.rate == pytest.approx(1 / 100)
    assert secret.error < 50 < secret.baseline_error + 30
    assert found.inference.unknown.correct.rate == 1
    assert found.inference.unknown.correct.of == 200 * 4
    codes = {caution.code for caution in found.cautions}
    assert {"profile-disclosed", "inference-above-baseline"} <= codes
    assert found.exceeds(0.5)


def test_one_secret_of_everybody_is_learned_by_anybody():
    """Whoever knows nothing guesses it, too: the baseline says so,
    and no caution blames the attack.
    """
    found = run(twins(secrets=np.full(100, 7)), known=8)
    secret = found.inference.sensitive["secret"]
    assert (secret.correct.rate, secret.baseline.rate) == (1, 1)
    assert secret.correct.low <= secret.baseline.rate
    assert "inference-above-baseline" not in [caution.code for caution in found.cautions]


def test_dates_alone_do_not_hide_a_profile():
    records = [{0: (3, 12_000), 1: (4, 12_000)}, {0: (3, 12_900), 1: (4, 12_500)}, {0: (1, 12_000)}]
    aux = Drawn(auxiliary([{0: (3, None)}], [0]))
    assert experiment(dated_table(records), aux).measures.profile.count == 1
    other = dated_table([records[0], {**records[1], 1: (5, 12_500)}, records[2]])
    assert experiment(other, aux).measures.profile.count == 0


def all_but_the_last(table):
    """Every rating of everybody but of the last issue, of a table without nulls."""
    kept = table.indices < table.n_issues - 1
    count = table.n_issues - 1
    return Auxiliary(
        targets=np.arange(table.n_records),
        indptr=count * np.arange(table.n_records + 1),
        issues=table.indices[kept],
        ratings=table.values[kept],
        dates=np.full(count * table.n_records, np.nan),
    )


def released(release, known, persons):
    return attack_each(release, Drawn(known), {"scoreboard-rh": {}}, persons=persons)[0]


def both(records, columns):
    table = dated_table(records)
    sensitive = tuple(
        SensitiveColumn(
            f"s{number}",
            np.array([column.get(r, 0.0) for r in range(len(records))]),
            np.array([r in column for r in range(len(records))]),
        )
        for number, column in enumerate(columns)
    )
    return table.replace(sensitive=sensitive)


@settings(max_examples=80 * DEPTH)
@given(situations(), st.sampled_from([*ALGORITHMS]), st.data())
def test_inference_is_that_of_the_naive_posterior(situation, algorithm, data):
    records, targets, known = situation
    n = len(records)
    columns = data.draw(
        st.lists(
            st.dictionaries(st.integers(0, n - 1), st.sampled_from([1.0, 2.0, 7.5])), max_size=2
        )
    )
    counts = data.draw(counts_of(targets))
    table = both(records, columns)
    aux = auxiliary(known, targets, counts=counts)
    judging = Judging(theta=0.5, false_positives=False)
    found = experiment(table, Drawn(aux), algorithm, judging=judging, resources=Resources(1))
    unknown = [[], [], [], []]
    for t, target in enumerate(targets):
        if target < 0:
            continue
        window = None if counts is None else counts[t]
        twin = naive.scoreboard if "alpha" in ALGORITHMS[algorithm].options else naive.scoreboard_rh
        answer = twin(records, known[t], target, counts=window)
        candidates = [r for r in range(n) if naive.may_be(records[r], window)]
        weights = by_definition.posterior(answer, candidates)
        best = by_definition.best(answer)
        if algorithm in ("entropic", "best-candidate", "matching-set"):
            answer = answer._replace(best=next(iter(best)) if len(best) == 1 else None)
        if answer.eccentricity is None or not math.isclose(answer.eccentricity, 1.5, rel_tol=1e-9):
            similar = by_definition.least_similar(records, answer, target)
            own = found.learned.similarity_of_named(found.attacked)[t]
            assert (similar is None) == np.isnan(own)
            assert similar is None or own == pytest.approx(similar)
        assert found.learned.disclosed[t] == by_definition.disclosed(
            records, columns, answer, target
        )
        for number, column in enumerate(columns):
            told = found.inference.chances[f"s{number}"][t]
            if target in column:
                assert told == by_definition.chance(weights, column, column[target])
            else:
                assert np.isnan(told)
        for issue, (rating, _) in records[target].items():
            if issue in known[t]:
                continue
            values = {r: record[issue][0] for r, record in enumerate(records) if issue in record}
            uniform = dict.fromkeys(values, 1.0)
            unknown[0].append(by_definition.chance(weights, values, rating))
            unknown[1].append(by_definition.chance(uniform, values, rating))
            unknown[2].append(by_definition.error(weights, values, rating))
            unknown[3].append(by_definition.error(uniform, values, rating))
    pooled = found.inference.unknown
    assert pooled.correct.of == len(unknown[0])
    if unknown[0]:
        seen = (pooled.correct.rate, pooled.baseline.rate, pooled.error, pooled.baseline_error)
        assert seen == pytest.approx([sum(values) / len(values) for values in unknown], abs=1e-9)


def test_groups_of_targets_and_blocks_of_issues_change_nothing(monkeypatch):
    table = twins(20)
    plain = run(table, known=4, theta=0.3).to_dict(per_target=True)
    monkeypatch.setattr(learning, "_TOGETHER", 3)
    monkeypatch.setattr(inference, "_RATINGS", 50)
    monkeypatch.setattr(inference, "_KEPT", 0)
    assert run(table, known=4, theta=0.3).to_dict(per_target=True) == plain


def test_a_release_is_judged_by_the_original():
    """What is learned of a person is what is true, not what was written into the release."""
    table = twins(30, 6)
    codes = table.codes.copy()
    codes[table.indices == 5] = 2  # the last question reads 3 for everybody
    release = table.replace(
        codes=codes, sensitive=(dataclasses.replace(table.sensitive[0], values=np.zeros(60)),)
    )
    aux = all_but_the_last(table)
    found = released(release, aux, Persons(table, aux)).inference
    # of the pair with secret 0
    assert found.sensitive["secret"].correct.rate == pytest.approx(1 / 30)
    last = table.levels[table.codes[table.indices == 5]]
    assert found.unknown.correct.rate == pytest.approx(np.mean(last == 3))
    assert experiment(release, Drawn(aux)).inference.unknown.correct.rate == 1  # by itself


def test_issues_that_are_not_released_cannot_be_predicted():
    table = crowd(40, 8, 0.9)
    smaller = table.drop(["i7"])
    aux = run(table, known=2).auxiliary
    lost = dataclasses.replace(
        aux, issues=np.where(aux.issues == 7, -1, aux.issues).astype(np.int32)
    )
    found = released(smaller, lost, Persons(table, aux)).inference.unknown
    assert found.missing > 0
    assert found.correct.of == run(table, known=2).inference.unknown.correct.of
    assert found.correct.rate < 1


def test_released_means_are_read_as_levels():
    table = RatingTable.from_wide(
        pl.DataFrame({"a": [1, 2, 4, 5], "b": [1, 2, 4, 5]}), scale=(1, 5)
    )
    release = RatingTable.from_wide(
        pl.DataFrame({"a": [1.5, 1.5, 4.4, 4.4], "b": [1.5, 1.5, 4.4, 4.4]})
    )
    aux = auxiliary(
        [{0: (1.0, None)}, {0: (2.0, None)}, {0: (4.0, None)}, {0: (5.0, None)}], [0, 1, 2, 3]
    )
    found = released(release, aux, Persons(table, aux)).inference.unknown.correct
    assert found.rate == 0.5  # 1.5 is read as 2, 4.4 as 4


def test_similarity_is_that_of_whole_records():
    one = RatingTable.from_wide(pl.DataFrame({"a": [1, 2], "b": [3, None], "c": [None, 5]}))
    two = RatingTable.from_wide(
        pl.DataFrame({"c": [5, 4, None], "b": [3, 3, None], "d": [1, None, None]})
    )

    def least(person, *records):
        return least_similarity(one, person, two, np.array(records), places_of(one, two))

    assert [[least(person, record) for record in range(3)] for person in range(2)] == [
        [1 / 4, 1 / 3, 0], [1 / 4, 0, 0],
    ]  # fmt: skip
    assert least(0, 0, 1, 2) == 0


def test_similar_enough_is_counted_from_theta_on():
    table = crowd(80, 15, 0.5)
    exact, half, least = (
        run(table, known=4, wrong=1, theta=theta).measures for theta in (1, 0.5, 0)
    )
    assert exact.success.count <= exact.similar.count <= half.similar.count <= least.similar.count
    assert run(table, known=4).measures.similar is None
    for wrong in (-0.1, 1.1, math.nan):
        with pytest.raises(ParameterError, match="theta"):
            run(table, known=4, theta=wrong)


def test_a_person_counts_once_in_an_interval():
    """A hundred ratings of one person are no hundred observations."""
    one = mean_probability(np.array([0.5]), weights=np.array([100]))
    alone = mean_probability(np.array([0.5]))
    assert (one.rate, one.low, one.high, one.of) == (alone.rate, alone.low, alone.high, 100)
    equal = mean_probability(np.array([0.0, 1.0, 1.0]), weights=np.array([7, 7, 7]))
    single = mean_probability(np.array([0.0, 1.0, 1.0]))
    assert (equal.rate, equal.low, equal.high) == pytest.approx(
        (single.rate, single.low, single.high)
    )
    uneven = mean_probability(np.array([0.0, 1.0]), weights=np.array([1, 99]))
    assert uneven.rate == 0.99
    assert uneven.high - uneven.low > 0.5
    assert mean_probability(np.zeros(1), weights=np.zeros(1, dtype=int)).rate is None


def with_other_secrets(table):
    (column,) = table.sensitive
    values = np.arange(table.n_records, dtype=float)
    return table.replace(sensitive=(dataclasses.replace(column, values=values),))


@pytest.mark.parametrize("algorithm", ["scoreboard", "best-candidate"])
def test_ratings_are_disclosed_though_secrets_differ(algorithm):
    found = run(with_other_secrets(twins()), known=8, algorithm=algorithm)
    assert found.measures.profile.count == 0
    assert found.measures.rating_profile.count == 200
    assert found.to_dict()["rating_profile"]["rate"] == 1
    codes = {caution.code: caution.message for caution in found.cautions}
    assert "Of 200 of 200 targets" in codes["ratings-disclosed"]
    assert "profile-disclosed" not in codes
    assert found.exceeds(0.9)  # the gate does not take this for safe


def test_where_all_records_have_twins_success_proves_nothing():
    def said(table, **options):
        return [
            one.message
            for one in run(table, known=8, **options).cautions
            if one.code == "identical-records"
        ]

    assert "identical with at least 1 others" in said(twins())[0]
    assert "1 in 2 at most" in said(with_other_secrets(twins()))[0]
    some = twins()
    assert said(some.take(np.arange(199))) == []  # the last one is like no other
    ages = as_table(
        some.to_wide().drop("secret").with_columns(age=pl.int_range(pl.len()).cast(pl.String)),
        id="id", scale=(1, 5), quasi=["age"],
    )  # fmt: skip
    assert identical_records(ages) == 1
    assert identical_records(ages.replace(quasi=())) == 2
