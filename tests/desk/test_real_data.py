"""The desk on real files: each is counted, or what is wrong is said in words; no page fails."""

import shutil
from pathlib import Path

import pytest
from desk_asking import open_desk

from ratingpriv.base.errors import RatingPrivError

FILES = [
    "exports/fivethirtyeight-flying-etiquette.csv",
    "exports/fivethirtyeight-nonvoters.csv",
    "exports/fivethirtyeight-star-wars.csv",
    "exports/qualtrics-sample.csv",
    "cases/age-mixed.csv",
    "cases/k-wq.csv",
    "cases/roles-pulse.csv",
    "cases/roles-gender.sav",
    "cases/tagged.dta",
    "cases/dup-twice.csv",
]


@pytest.mark.deep
@pytest.mark.parametrize("name", FILES)
def test_a_real_file(test_data, tmp_path, monkeypatch, capsys, name):
    monkeypatch.setattr("ratingpriv.desk.protection.decided", lambda *_: None)
    monkeypatch.setattr("ratingpriv.desk.protection.Protection._fill", lambda *_: None)
    with open_desk(Path(shutil.copy(test_data / name, tmp_path))) as asking:
        jobs = asking.desk.jobs
        if jobs.last.state == "done" and asking.desk.columns.columns:
            form = asking.fields()
            assert asking.post("/columns", form).status in (303, 422)
            asking.rest()
        assert jobs.last.state in ("done", "failed")
        assert jobs.last.error is None or isinstance(jobs.last.error, RatingPrivError)
        for path in ("/columns", "/choose", "/release"):
            assert asking.get(path).status in (200, 303)
    assert "Traceback" not in capsys.readouterr().err
