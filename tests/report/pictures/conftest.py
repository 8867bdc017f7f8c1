"""Documents to draw: of small data, by the library, as JSON keeps them."""

import copy
import json

import numpy as np
import polars as pl
import pytest
from attack.attack_tables import compared, run
from attack.planting import crowd

import ratingpriv
from ratingpriv import RatingTable
from ratingpriv.attack import Knowledge, whole_record
from ratingpriv.attack.evaluation.experiments import sweep
from ratingpriv.attack.sparsity import sparsity
from ratingpriv.attack.studies import Findings


@pytest.fixture(scope="session")
def people():
    """Thirty records of four questions and a sensitive one,
    with names that are mathematics elsewhere.
    """
    rng = np.random.default_rng(3)
    columns = {name: rng.integers(1, 6, 30).astype(float) for name in ("a$b$", "_hidden", "c", "d")}
    columns["a$b$"][:4] = np.nan
    columns["pay$"] = rng.integers(1, 6, 30).astype(float)
    frame = pl.DataFrame({"id": [f"p{row}" for row in range(30)], **columns}).fill_nan(None)
    return RatingTable.from_wide(frame, id="id", sensitive=["pay$"], scale=(1, 5), name="_$people$")


def kept(result):
    """Return the document as a file would have kept it."""
    return json.loads(json.dumps(result.to_dict()))


@pytest.fixture(scope="session")
def results(people):
    """Results by a name: every contract that has pictures, but for releases."""
    table = crowd(24, 16, 0.7)
    attacks = run(table, known=4, wrong=1, date_error=14)
    strong = run(table, known=4, algorithm="scoreboard")
    findings = Findings(
        (attacks, strong),
        (
            compared(attacks, table.take(range(3, 24)), "ids"),
            compared(strong, table.take(range(3, 24)), "ids"),
        ),
        sweep(table, Knowledge(), {"known": (2, 4, 8), "date_error": (None, 3)}),
        sparsity(table),
        whole_record=whole_record(table),
    )
    release = people.take(range(2, 30))
    return {
        "attack": findings,
        "audit": ratingpriv.audit(people, k=3, epsilon=1, exposure=1),
        "known": ratingpriv.audit(people, k=2, epsilon=2, known=2),
        "frontier": ratingpriv.frontier(people, k=3, partition=False),
        "partition": ratingpriv.partition(people, k=2, epsilon=3),
        "recommend": ratingpriv.recommend(
            people, found_at_most=0.5, epsilon=[0, 3], method=["swap", "modify"]
        ),
        "utility": ratingpriv.utility(
            people,
            release,
            truth="ids",
            measures=["query_error", "information_loss", "questions", "bias"],
        ),
    }


@pytest.fixture(scope="session")
def _documents(results):
    return {name: kept(result) for name, result in results.items()}


@pytest.fixture
def documents(_documents):
    """The same as documents; a test may change its own."""
    return copy.deepcopy(_documents)


@pytest.fixture
def document(documents):
    """One of them."""
    return documents.__getitem__
