"""What asks nothing has a reservation, beside plain loops; and two laws of it.

Declaring more never turns a no into a yes, and who receives a release is told what its publisher
was told.
"""

from decimal import Decimal

import pytest
from depth import DEPTH
from golden.tables import build
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from naive import idle, quasi_groups
from properties.strategies import AUDIT_NULLS, NULLS, epsilons, mixed_tables, tables

import ratingpriv
from ratingpriv import RatingTable, audit, frontier, partition
from ratingpriv.anonymize import suppress
from ratingpriv.anonymize.release.verify import verify
from ratingpriv.anonymize.release.writing import write_release
from ratingpriv.base.errors import RatingPrivError
from ratingpriv.data.table import Scale

pytestmark = pytest.mark.small

both = st.one_of(tables(8, 3, 0), mixed_tables(8))


def columns_of(table):
    """The questions and the quasi-identifiers as plain lists."""
    questions = [[None] * table.n_records for _ in table.issues]
    for record in range(table.n_records):
        for entry in range(*table.indptr[record : record + 2]):
            questions[table.indices[entry]][record] = float(table.values[entry])
    quasi = []
    for column in table.quasi:
        values = [None if code < 0 else float(code) for code in column.codes.tolist()]
        if column.values.dtype.is_numeric():
            numbers = column.values.to_list()
            values = [None if code < 0 else float(numbers[code]) for code in column.codes.tolist()]
        quasi.append((values, column.within, bool(column.recoded)))
    return questions, quasi


def exact(table, epsilon):
    """Whether every number is a decimal as it is written, which the plain loops suppose."""
    numbers = [epsilon, *table.levels.tolist()]
    for column in table.quasi:
        numbers += [column.within or 0.0]
        numbers += column.values.to_list() if column.values.dtype.is_numeric() else []
    return all(len(Decimal(repr(float(one))).as_tuple().digits) <= 15 for one in numbers)


@given(both, st.integers(1, 3), epsilons, st.sampled_from(AUDIT_NULLS))
@settings(max_examples=80 * DEPTH)
def test_what_asks_nothing_is_told_as_plain_loops_tell_it(table, k, epsilon, nulls):
    assume(exact(table, epsilon) and not (table.scale is not None and table.scale.declared))
    found = audit(table, k=k, epsilon=epsilon, nulls=nulls, threads=1)
    questions, quasi = columns_of(table)
    due = idle.reserved(questions, quasi, k=k, epsilon=epsilon, nulls=nulls)
    assert set(found.standing.reserved) == due
    held = min(len(near) for near in quasi_groups.neighbourhoods(table, epsilon, nulls)) >= k
    assert found.standing.exit_code == int(not held or bool(due))
    assert bool(found) is (held and not due)
    if nulls != "known":
        parted = partition(table, k=k, epsilon=epsilon, nulls=nulls, threads=1)
        assert set(parted.standing.reserved) == due
        reach = frontier(table, k=k, epsilon=epsilon, nulls=nulls, threads=1)
        assert not reach.satisfied or set(reach.standing.reserved) == due


@given(both, st.integers(1, 3), epsilons, st.sampled_from(AUDIT_NULLS), st.data())
@settings(max_examples=60 * DEPTH)
def test_a_declared_scale_makes_no_yes_of_a_no(table: RatingTable, k, epsilon, nulls, data) -> None:
    assume(len(table.levels))
    low, high = float(table.levels[0]), float(table.levels[-1])
    less, more = (data.draw(st.sampled_from([0.0, 0.5, 3.0, 100.0])) for _ in range(2))
    plain = table.replace(scale=Scale(low, high, declared=False))
    told = table.replace(scale=Scale(low - less, high + more, declared=True))
    before, after = (
        audit(one, k=k, epsilon=epsilon, nulls=nulls, threads=1) for one in (plain, told)
    )
    assume(high > 0)  # else the found scale has no distance of a null at all
    assert after.standing.exit_code >= before.standing.exit_code


@given(tables(8, 3, 2), st.integers(1, 3), epsilons, st.data())
@settings(max_examples=60 * DEPTH)
def test_one_demand_more_makes_no_yes_of_a_no(table, k, epsilon, data):
    assume(table.sensitive)
    more = data.draw(
        st.sampled_from(
            [{"l": 0}, {"l": 1}, {"distinct": 1}, {"entropy": 1}, {"max_share": 1}, {"distinct": 2}]
        )
    )
    before = audit(table, k=k, epsilon=epsilon, threads=1)
    after = audit(table, k=k, epsilon=epsilon, threads=1, **more)
    assert after.standing.exit_code >= before.standing.exit_code
    if more in ({"l": 0}, {"distinct": 1}, {"entropy": 1}, {"max_share": 1}):
        assert "demand-asks-nothing" in after.standing.reserved


@given(mixed_tables(8), st.integers(1, 3), st.sampled_from([0, 1, 2, 5]), st.sampled_from(NULLS))
@settings(max_examples=8 * DEPTH, suppress_health_check=[HealthCheck.too_slow])
def test_the_receiver_is_told_what_the_publisher_was_told(
    tmp_path_factory, table, k, epsilon, nulls
):
    path = tmp_path_factory.mktemp("release") / "r.csv"
    try:
        made = write_release(suppress(table, k=k, epsilon=epsilon, nulls=nulls), path)
        checked = verify(path)
    except RatingPrivError:
        assume(False)
    assert not checked.problems
    measured = {"found", "worthless"}  # of the original, which the receiver has not
    told, known = set(checked.standing.reserved), set(made.standing.reserved)
    assert told - measured == known - measured
    assert known & measured <= told
    assert set(made.standing.reserved) >= set(made.audit.standing.reserved)


SCALED = [f"{i},{3 if i < 10 else 5},{i % 2 if i % 4 < 2 else (i + 1) % 2}" for i in range(20)]


@pytest.mark.parametrize("declared", ["", 'scale = "0:5"\n'])
def test_a_scale_of_a_codebook_hides_no_question(tmp_path, declared):
    (tmp_path / "d.csv").write_text("id,q,hiv\n" + "\n".join(SCALED) + "\n")
    book = tmp_path / "b.toml"
    book.write_text(f'[columns.q]\nrole = "rating"\n[columns.hiv]\nrole = "rating"\n{declared}')
    table = ratingpriv.read(tmp_path / "d.csv", id="id", codebook=book)
    found = audit(table, k=4, epsilon=1)
    assert (found.satisfied, found.standing.reserved) == (True, ("epsilon-covers-questions",))


@pytest.mark.parametrize(
    ("column", "said", "due"),
    [
        ([20, 30, 40, 50], "within = 1000\n", True),
        ([20, 30, 40, 50], "within = 10\n", False),
        ([20, 30, 40, 50], "band = 100\n", True),
        ([20, 30, 40, ""], "band = 100\n", True),  # which were different, and count as the same
        ([20, 20, 20, 20], "", True),
        ([20, 20, 20, ""], "", False),
        ([20, 30, 40, 50], "", False),
        (["", "", "", ""], "", True),
    ],
)
def test_quasi_identifiers_that_tell_nobody_apart(tmp_path, column, said, due):
    rows = "".join(f"{place},{1 + 4 * (place % 2)},{age}\n" for place, age in enumerate(column))
    (tmp_path / "d.csv").write_text("id,q,age\n" + rows)
    (tmp_path / "b.toml").write_text(
        f'[columns.age]\nrole = "quasi"\n{said}[columns.q]\nrole = "rating"\n'
    )
    table = ratingpriv.read(tmp_path / "d.csv", id="id", codebook=tmp_path / "b.toml")
    found = audit(table, k=2, epsilon=0)
    assert ("quasi-asks-nothing" in found.standing.reserved) is due
    made = write_release(suppress(table, k=1, epsilon=0), tmp_path / "r.csv")
    assert ("quasi-asks-nothing" in made.standing.reserved) is due
    assert ("quasi-asks-nothing" in verify(tmp_path / "r.csv").standing.reserved) is due


def test_a_demand_on_what_nobody_told_asks_for_nothing():
    silent = build([(1,), (1,), (5,), (5,)], [[None] * 4])
    assert audit(silent, k=2, epsilon=0, l=2).standing.reserved == ("demand-asks-nothing",)
    assert audit(silent, k=2, epsilon=0).standing.reserved == ()
