"""What an adversary with the groups finds, beside a naive twin from the definitions."""

from collections import Counter

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.anonymize import swap
from ratingpriv.attack.evaluation.group_tables import group_tables
from ratingpriv.base.compute.resources import Resources


def made(n=36, seed=0, missing=False):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, n)
    columns = {f"q{c}": np.clip(1 + kind + rng.integers(0, 2, n), 1, 5).tolist() for c in range(3)}
    if missing:
        columns["q0"][4] = columns["q1"][7] = None
    frame = pl.DataFrame({"id": range(n), **columns, "pay": rng.integers(1, 4, n)})
    table = ratingpriv.read(frame, sensitive=["pay"], ratings=list(columns), scale=(1, 5), id="id")
    return table, swap(table, k=4, epsilon=2, rng=seed)


def column(table, name):
    for secret in table.sensitive:
        if secret.name == name:
            return secret.values.tolist()
    values = [None] * table.n_records
    for record in range(table.n_records):
        for entry in range(table.indptr[record], table.indptr[record + 1]):
            if table.issues[table.indices[entry]] == name:
                values[record] = float(table.levels[table.codes[entry]])
    return values


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_as_counted_by_hand(missing, seed):
    table, released = made(seed=seed, missing=missing)
    labels = released.groups.labels
    found = group_tables(table, released.table, released.groups, labels[released.kept], Resources())
    people = np.flatnonzero(labels >= 0).tolist()
    assert found.people == len(people)
    assert found.found == pytest.approx(released.groups.count / len(people))
    pay, right, without = column(table, "pay"), 0.0, 0.0
    for person in people:
        own = Counter(pay[other] for other in people if labels[other] == labels[person])
        right += (own[pay[person]] == max(own.values())) / list(own.values()).count(
            max(own.values())
        )
        own[pay[person]] -= 1
        most = max(own.values())
        without += (own[pay[person]] == most) / list(own.values()).count(most)
    guessed = found.guessed[0]
    assert guessed.by_group == pytest.approx(right / len(people))
    assert guessed.without_own == pytest.approx(without / len(people))
    assert guessed.commonest == pytest.approx(
        max(Counter(pay[person] for person in people).values()) / len(people)
    )
    items = [column(table, name) for name in table.issues]
    after = [column(released.table, name) for name in table.issues]
    rows = {
        label: {
            tuple(values[slot] for values in after)
            for slot, person in enumerate(released.kept.tolist())
            if labels[person] == label
        }
        for label in range(released.groups.count)
    }
    stands = [
        tuple(values[person] for values in items) in rows[labels[person]] for person in people
    ]
    assert found.own_row == pytest.approx(np.mean(stands))
    for name, values in zip(table.issues, items, strict=True):
        agree = [len({values[o] for o in people if labels[o] == labels[p]}) == 1 for p in people]
        assert found.agreeing[name] == pytest.approx(np.mean(agree))


def test_the_slot_of_a_person_is_found_no_more_often_than_its_bound():
    """Over many exchanges the row that stands at a person's slot is
    the person's with 1 / group size.
    """
    table, first = made()
    where = first.groups.labels
    hits = np.zeros(len(first.kept))
    for seed in range(200):
        released = swap(table, k=4, epsilon=2, rng=seed)
        hits += released.claims.sources["pay"] == released.kept
    sizes = np.bincount(where[where >= 0])[where[first.kept]]
    # 200 x 36 draws: 5 sigma
    assert hits.mean() / 200 == pytest.approx(np.mean(1 / sizes), abs=0.02)


def test_groups_of_clear_kinds_are_found():
    n = 40
    frame = pl.DataFrame({"id": range(n), "q1": [1] * 20 + [5] * 20, "q2": [2] * 20 + [4] * 20})
    table = ratingpriv.read(frame, ratings=["q1", "q2"], scale=(1, 5), id="id")
    released = swap(table, k=10, epsilon=1, rng=0)
    found = released.claims.tables
    assert found.all_agree == found.own_row == 1
    kinds = {
        label: table.values[2 * np.flatnonzero(released.groups.labels == label)[0]]
        for label in (0, 1)
    }
    assert set(kinds.values()) == {1.0, 5.0} or released.groups.count > 2


def test_it_says_how_far_it_is_and_can_be_stopped():
    table, released = made(n=120)
    labels, steps = released.groups.labels[released.kept], []

    def progress(*step):
        steps.append(step)
        if len(steps) > 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        group_tables(table, released.table, released.groups, labels, Resources(progress=progress))
    assert [done for _, done, _ in steps] == [0, 32, 64]
