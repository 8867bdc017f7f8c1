"""Documents of small data, of which reports are made."""

import contextlib
import json
import random

import polars as pl
import pytest

import ratingpriv
from ratingpriv.base.errors import RatingPrivError
from ratingpriv.utility.measures import QUICK

ANSWERS = (31.7133, 32.9133, 34.1133, 35.3133, 36.5133)
"""Answers that no other number of a report looks like; their differences are no whole numbers."""


SECRETS = (71.9177, 83.3177, 94.7177)


def frame(records, questions=4, seed=7, levels=3):
    """People of whom many are alike, with odd ids and odd answers."""
    draw = random.Random(seed)  # noqa: S311
    names = [f"q{place}" for place in range(questions)]
    rows = [[draw.choice(ANSWERS[:levels]) for _ in names] for _ in range(records)]
    for row in rows:
        if draw.random() < 0.2:
            row[draw.randrange(questions)] = None
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    return pl.DataFrame(
        {
            "who": [f"zq{place * 7919 % 10007}x" for place in range(records)],
            **columns,
            "pay": [draw.choice(SECRETS) for _ in range(records)],
        }
    )


def documents_of(data, k=3, epsilon=1.2, l=None, *, utility=True, rng=0):  # noqa: E741
    """Everything that is quick to measure, of the data and of a release
    without its rarest records.
    """
    settings = {"id": "who", "sensitive": ["pay"]}
    table = ratingpriv.RatingTable.from_wide(data, **settings)
    audit = ratingpriv.audit(table, k=k, epsilon=epsilon, l=l, exposure=epsilon)
    kept = data.filter(pl.Series(audit.sizes >= min(k, int(audit.sizes.max()))))
    published = ratingpriv.RatingTable.from_wide(kept, **settings)
    made = {
        "audit": audit.to_dict(20),
        "audit_release": ratingpriv.audit(
            published, k=k, epsilon=epsilon, l=l, exposure=epsilon
        ).to_dict(20),
        "frontier": ratingpriv.frontier(table, k=k, partition=False).to_dict(),
    }
    with contextlib.suppress(RatingPrivError):  # too few ratings to know
        found = ratingpriv.attack(table, published, truth="ids", known=2, rng=rng)
        made["attack"] = found.to_dict(per_target=True)
    if utility:
        made["utility"] = ratingpriv.utility(
            table, published, truth="ids", measures=[*QUICK, "questions"], rng=rng
        ).to_dict()
    return json.loads(json.dumps(made))


@pytest.fixture(scope="session")
def people():
    """The frame of sixty people."""
    return frame(60)


@pytest.fixture(scope="session")
def documents(people):
    """Their documents."""
    return documents_of(people)


@pytest.fixture
def no_pictures(monkeypatch):
    """Leave out the team's pictures: they take long."""
    monkeypatch.setattr("ratingpriv.report.pictures.kinds", lambda document: ())
