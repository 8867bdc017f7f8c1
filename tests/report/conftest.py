"""Results to format."""

import polars as pl
import pytest

from ratingpriv import RatingTable, audit


@pytest.fixture(scope="session")
def command():
    """Return the whole command line as commands with parameters."""
    from typer.main import get_command

    from ratingpriv.cli import app

    return get_command(app)


@pytest.fixture
def result_of():
    """Audit a few records on one issue and one sensitive issue."""

    def make(rows, *, ids=None, name="data.csv", sensitive="s", **more):
        schema = {"issue": pl.Float64, sensitive: pl.Float64}
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        frame = frame.insert_column(
            0, pl.Series("id", ids or [f"t{row}" for row in range(1, len(rows) + 1)])
        )
        table = RatingTable.from_wide(frame, id="id", sensitive=[sensitive], name=name)
        return audit(table, **{"k": 2, "epsilon": 1, **more})

    return make


ROWS = [(1, 5), (1, 5), (2, 1), (9, None)]


@pytest.fixture
def result(result_of):
    """Three records that are alike and a fourth, alone, of which nothing can be learnt."""
    return result_of(ROWS, l=1)
