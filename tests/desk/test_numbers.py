"""The desk's numbers are those of the command line: at risk, withheld, found,
in every cell of a map.
"""

import itertools
import shutil
from pathlib import Path

import numpy as np
import pytest

from ratingpriv.anonymize import anonymize
from ratingpriv.attack import whole_record
from ratingpriv.audit import audit
from ratingpriv.desk.columns import Columns
from ratingpriv.desk.jobs import Job
from ratingpriv.desk.protection import KS, Choice, Protection

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SAMPLE = [(5, 0), (5, 1), (12, 2), (50, 3)]


@pytest.fixture(scope="module")
def levels(tmp_path_factory):
    """The survey, counted: no release is made."""
    columns = Columns(
        Path(shutil.copy(EXAMPLES / "survey.csv", tmp_path_factory.mktemp("s"))), Path()
    )
    job = Job("")
    columns.describe(job)
    protection = Protection(columns.read(job))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ratingpriv.desk.protection.decided", lambda *_: None)
        patch.setattr(Protection, "_fill", lambda *_: None)
        protection.count(job)
    return protection


def differences(protection, k, place):
    level = protection.levels[place]
    table, n = protection.table, protection.records
    audited = audit(table, k=k, epsilon=level.epsilon).to_dict(0)
    shown = protection.verdict(Choice(k, level.epsilon))
    yield shown.standing_out, audited["k_epsilon"]["violators"]
    if protection.levels[place].withheld(k) == n:
        return
    made = anonymize(table, "suppress", k=k, epsilon=level.epsilon)
    withheld = protection.columns(Choice(k, level.epsilon))[-1]
    yield level.withheld(k), n - made.table.n_records
    yield withheld.left_out, n - made.table.n_records
    found = whole_record(table, made.table, made.pairing).success
    yield round(withheld.found.high, 12), round(found.rate, 12)
    yield round(level.distinct_left(k) / made.table.n_records, 12), round(found.rate, 12)


@pytest.mark.parametrize(("k", "place"), SAMPLE)
def test_a_sample_of_the_cells(levels, k, place):
    for shown, printed in differences(levels, k, place):
        assert shown == printed


@pytest.mark.deep
def test_every_cell(levels):
    for k, place in itertools.product(KS, range(len(levels.levels))):
        for shown, printed in differences(levels, k, place):
            assert shown == printed, (k, place)


def test_as_it_is(levels):
    rows = levels.table
    found = whole_record(rows, rows, np.arange(rows.n_records)).success
    assert levels.verdict(Choice(5, 1.0)).found == pytest.approx(found.rate, abs=1e-12)


def test_other_demands_are_those_of_the_audit(levels):
    shown = levels.verdict(Choice(5, 1.0, m=2))
    assert shown.known == audit(levels.table, k=5, epsilon=1.0, known=2).to_dict(0)["known"]


def test_what_is_not_counted_is_not_green(levels, monkeypatch):
    monkeypatch.setattr("ratingpriv.desk.protection._AT_ONCE", 0)
    verdict = levels.verdict(Choice(2, 3.0, m=1))
    assert (verdict.counted, verdict.held, verdict.kind) == (False, False, "open")
