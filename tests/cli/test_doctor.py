"""``ratingpriv doctor``: exit 0 where everything works, 3 where something does not."""

import json

import pytest

from ratingpriv.report import doctor
from ratingpriv.report.doctor import Check, Environment


def test_here_everything_works(process, environment):
    ended = process("doctor", "--json", env={**environment, "SPARK_REMOTE": "sc://elsewhere"})
    found = json.loads(ended.stdout)
    assert [check for check in found["checks"] if not check["works"]] == []
    assert (ended.returncode, found["healthy"]) == (0, True)
    assert {"worked example, slicing", "worked example, pairwise"} <= {
        one["name"] for one in found["checks"]
    }
    assert {"delimited", "parquet", "movielens", "netflix"} <= set(found["loaders"])
    assert found["generators"]
    assert set(found["facts"]) == {"python", "platform", "cores", "memory"}
    assert found["versions"]["numba"]


@pytest.mark.parametrize(
    ("works", "code", "headline"),
    [(True, 0, "Everything works."), (False, 3, "1 of 1 checks failed.")],
)
def test_codes(cli, monkeypatch, works, code, headline):
    monkeypatch.setattr(
        doctor, "examine", lambda *_, **__: Environment({}, {}, (), (), (Check("x", works, ""),))
    )
    ended = cli("doctor")
    assert ended.exit_code == code
    assert ended.stdout.splitlines()[0] == headline
