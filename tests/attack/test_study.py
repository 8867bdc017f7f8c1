"""``ratingpriv.attack``: all that the command does, for people who write Python."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import compared, draw, run
from msgspec import to_builtins

import ratingpriv
from ratingpriv.anonymize import modify, write_release
from ratingpriv.attack import Auxiliary, Knowledge, read_auxiliary, study, whole_record
from ratingpriv.attack.algorithms.algorithm import ALGORITHMS
from ratingpriv.attack.evaluation.experiments import sweep as attack_at_each
from ratingpriv.base.errors import ParameterError
from ratingpriv.base.keys import read_key
from ratingpriv.data.formats.reading import ReadOptions

SURVEY = Path(__file__).parents[2] / "examples" / "survey.csv"


@pytest.fixture(scope="module")
def table():
    return ratingpriv.read(SURVEY, options=ReadOptions(sensitive=("pay",), scale=(1, 5)))


@pytest.fixture(scope="module")
def released(table, tmp_path_factory):
    """A release and its key."""
    path = tmp_path_factory.mktemp("release") / "r.csv"
    written = write_release(
        modify(table, k=5, epsilon=1), path, key=path.with_suffix(".key"), rng=1
    )
    options = ReadOptions(sensitive=("pay",), scale=(1, 5))
    return ratingpriv.read(written.path, options=options), read_key(path.with_suffix(".key"))


def test_a_draw_is_that_of_its_parts(table):
    found = ratingpriv.attack(table, known=4, rating_error=1, wrong=1, rng=3)
    for attack in found.attacks:
        parts = run(
            table, known=4, rating_error=1, wrong=1, rng=3, algorithm=attack.parameters["algorithm"]
        )
        assert attack.to_dict(per_target=True) == parts.to_dict(per_target=True)
    assert (found.paired, found.sweep, found.sparsity, found.passed) == (None, (), None, None)
    assert found.theorem == ()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_release_is_compared_with_the_errors_of_the_draw(table, released, algorithm):
    release, key = released
    found = study(
        table, release, truth=key, known=4, rating_error=1, algorithm=algorithm, fail_above=0.5
    )
    before = run(table, known=4, rating_error=1, algorithm=algorithm)
    paired = compared(before, release, key)
    content, expected = found.to_dict(), paired.to_dict()
    gate, suite = content.pop("gate"), content.pop("suite")
    assert content.pop("whole_record") == to_builtins(whole_record(table))
    assert content["release"].pop("whole_record") == to_builtins(found.whole_record)
    assert content["cautions"].pop()["code"] == "one-algorithm"
    assert "`algorithm`" in content["warnings"].pop()
    assert content == expected
    assert [row["algorithm"] for row in suite] == [algorithm]
    assert gate == {"fail_above": 0.5, "passed": not paired.after.exceeds(0.5)}


def test_known_information_is_a_file_or_an_auxiliary(table, tmp_path):
    path = tmp_path / "known.csv"
    path.write_text("target,issue,rating\nr001,team,4\nr002,team,3\n", encoding="utf-8")
    of_file = study(table, aux=path)
    assert of_file.attack.parameters["aux"] == "known.csv"
    of_value = study(table, aux=read_auxiliary(path, table))
    assert "aux" not in of_value.attack.parameters
    assert of_file.attack.measures.to_dict() == of_value.attack.measures.to_dict()


@pytest.mark.deep
def test_many_records_are_sampled():
    rng = np.random.default_rng(1)
    many = ratingpriv.RatingTable.from_wide(
        pl.DataFrame({name: rng.integers(1, 6, 1200) for name in ("a", "b", "c")})
    )
    assert study(many, known=2).attack.parameters["targets"] == 1000
    assert study(many, known=2, targets="all").attack.measures.targets == 1200


def test_a_sweep_and_sparsity(table):
    found = study(table, known=2, sweep={"known": (2, 4)}, sparsity=True, rng=5)
    points = attack_at_each(table, Knowledge(), {"known": (2, 4)}, rng=5)
    assert found.to_dict()["sweep"] == [point.to_dict() for point in points]
    assert found.sparsity.rated == table.n_records
    assert [one.known for one in found.theorem] == [2, 4, 8, 12, 16]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"algorithm": "magic"}, "algorithm"),
        ({"algorithm": "entropic", "options": {"alpha": 0.5}}, "alpha"),
        ({"options": {"beta": 0.5}}, "beta"),
        ({"adversary": "spy"}, "adversary"),
        ({"known": "most"}, "known"),
        ({"known": "all", "wrong": 1}, "wrong"),
        ({"fail_above": 1.5}, "fail_above"),
        ({"fail_above": -0.5}, "fail_above"),
        ({"truth": "ids"}, "truth"),
        ({"targets": "most"}, "targets"),
        ({"targets": 3, "target_ids": ["r001"]}, "target_ids"),
        ({"target_ids": ["nobody"]}, "targets"),
        ({"sweep": {"phi": (1, 2)}}, "sweep"),
        ({"interval": "normal"}, "interval"),
        ({"threads": 0}, "threads"),
        ({"known": 99, "short": "refuse"}, "known"),
    ],
)
def test_bad_arguments(table, asked, name):
    with pytest.raises(ParameterError) as caught:
        study(table, **asked)
    assert caught.value.name == name


def test_a_release_needs_its_truth(table, released):
    with pytest.raises(ParameterError, match="link released records"):
        study(table, released[0])


@pytest.mark.parametrize(
    "asked",
    [{"known": 3}, {"wrong": 1}, {"date_error": 3}, {"items": "rarest"}, {"targets": 3},
    {"short": "refuse"},
     {"adversary": "netflix"},
     {"target_ids": ["r001"]}, {"targets": np.array([0])}, {"sweep": {"known": (1, 2)}},
     {"rating_error": 1}],
)  # fmt: skip
def test_nothing_is_drawn_where_it_is_given(table, asked):
    known = draw(table, known=2, targets=3, rng=1).auxiliary
    assert isinstance(known, Auxiliary)
    with pytest.raises(ParameterError, match="`aux` says what is known"):
        study(table, aux=known, **asked)
