"""``random_state`` is ``rng`` by another name, everywhere, and a result tells the seed."""

import importlib
import inspect

import numpy as np
import polars as pl
import pytest

import ratingpriv
from ratingpriv.base import checks
from ratingpriv.base.errors import ParameterError
from ratingpriv.data.table import RatingTable

TABLE = RatingTable.from_wide(
    pl.DataFrame({"a": [1, 2, 2, 5, 4, 4], "b": [1, 1, 2, 5, 5, 4]}), scale=(1, 5)
)


PUBLIC = (
    "ratingpriv", "ratingpriv.anonymize", "ratingpriv.attack", "ratingpriv.attack.knowledge",
    "ratingpriv.studies.papers", "ratingpriv_loaders.synthetic.generators",
)  # fmt: skip


@checks.takes_random_state
def given(*, rng=0):
    return rng


def public_functions():
    """What users import: from ``ratingpriv``, and from its packages by themselves."""
    for name in PUBLIC:
        module = importlib.import_module(name)
        for export in getattr(module, "__all__", ()):
            value = getattr(module, export)
            yield from filter(
                inspect.isfunction, vars(value).values() if inspect.isclass(value) else [value]
            )


def test_every_public_function_that_takes_a_seed_or_a_generator_takes_random_state():
    without = set()
    for function in public_functions():
        known = inspect.signature(function).parameters
        rng = known.get("rng")
        if rng is None or not str(rng.annotation).startswith("int") or "random_state" in known:
            continue
        if (
            rng.kind is inspect.Parameter.KEYWORD_ONLY
            and rng.default is not inspect.Parameter.empty
        ):
            without.add(f"{function.__module__}.{function.__qualname__}")
    assert not without


def test_what_random_state_may_be():
    generator = np.random.default_rng(3)
    assert given(random_state=None) == 0
    assert given(random_state=7) == given(random_state=np.int32(7)) == given(rng=7) == 7
    assert given(random_state=generator) is generator
    legacy = np.random.RandomState(5)
    first, second = given(random_state=legacy), given(random_state=legacy)
    again = given(random_state=np.random.RandomState(5))
    assert first.integers(1 << 60) == again.integers(1 << 60) != second.integers(1 << 60)


@pytest.mark.parametrize("wrong", [-1, True, 0.5, "7", object(), np.random])
def test_anything_else_is_refused(wrong):
    with pytest.raises(ParameterError, match="random_state: found"):
        given(random_state=wrong)
    with pytest.raises(ParameterError, match="one of the two"):
        TABLE.sample(3, rng=None, random_state=1)


def test_a_seed_is_told_as_it_was_given_else_as_it_was_drawn():
    assert checks.seed_from(5) == checks.seed_from(np.int64(5)) == 5
    drawn = int(np.random.default_rng(9).integers(1 << 63))
    assert checks.seed_from(np.random.default_rng(9)) == drawn
    assert checks.seed_from(None) != checks.seed_from(None)
    found = ratingpriv.exposure(TABLE, error=1, rng=np.random.default_rng(9))
    assert (
        found.seed
        == ratingpriv.exposure(TABLE, error=1, random_state=np.random.default_rng(9)).seed
        == drawn
    )
    attacked = ratingpriv.attack(TABLE, known=1, random_state=4)
    assert attacked.to_dict() == ratingpriv.attack(TABLE, known=1, rng=4).to_dict()
    assert attacked.attack.parameters["seed"] == 4
