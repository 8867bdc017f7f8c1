"""A program that uses only what is public: type-checked and run,
in the checkout and against the built wheel.

It reads ``table2.csv`` (the papers' Table 2) from the current folder.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import ratingpriv
from ratingpriv.anonymize import Anonymized, Release, modify, suppress, verify, write_release
from ratingpriv.attack import Attacked, Drawn, Findings, Knowledge, draw, scoreboard_rh, study
from ratingpriv.audit import AuditResult
from ratingpriv.audit.frontier.result import Frontier
from ratingpriv.base.errors import DataError, ParameterError, RatingPrivError
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table import RatingTable, Scale
from ratingpriv.partition import PartitionResult
from ratingpriv.utility.result import Utility


def read() -> RatingTable:
    """Read the example, in the three ways."""
    options = ReadOptions(id="id", sensitive=("issue 4",), scale=(1, 7))
    table: ratingpriv.RatingTable = ratingpriv.read("table2.csv", options=options)
    wide = RatingTable.from_wide(
        pl.read_csv("table2.csv"), id="id", sensitive=["issue 4"], scale=(1, 7)
    )
    long = RatingTable.from_long(table.to_long(), record="id", sensitive=["issue 4"], scale=(1, 7))
    assert table.n_records == wide.n_records == long.n_records == 6
    scale: Scale | None = table.scale
    assert scale is not None
    return table


def judge(table: RatingTable) -> AuditResult:
    """Audit the example and look at the result in every way."""
    result = ratingpriv.audit(table, k=2, epsilon=1, l=1.5)
    sizes: NDArray[np.int64] = result.sizes
    sds: NDArray[np.float64] = result.sd("issue 4")
    assert (sizes.tolist(), float(sds.min())) == ([3, 2, 3, 2, 2, 2], 1.5)
    assert (result.satisfied, result.k_epsilon.max_k) == (True, 2)
    assert result.k_epsilon_l is not None
    assert json.loads(json.dumps(result.to_dict()))["schema"] == "ratingpriv.audit/1"
    return result


def look(table: RatingTable) -> None:
    """Look at results as a notebook does, and take their rows on."""
    found = ratingpriv.frontier(table, k=2, partition=False)
    axes: Axes = found.plot(ax=Figure().add_subplot())
    assert axes.get_figure() is not None
    attacked = ratingpriv.attack(table, known=2, random_state=1)
    frames: list[pl.DataFrame] = [
        table.to_wide("polars"),
        ratingpriv.audit(table, k=2, epsilon=1).to_frame(),
        found.to_frame(),
        ratingpriv.partition(table, k=2, epsilon=1).to_frame(),
        ratingpriv.exposure(table, error=1, random_state=np.random.default_rng(1)).to_frame(),
        ratingpriv.utility(table, table, truth="ids", measures=["bias"]).to_frame(),
        attacked.to_frame(),
    ]
    assert [frame.height for frame in frames] == [6, 6, len(found.rows), 6, 6, 1, 5]
    estimator: ratingpriv.Anonymizer = ratingpriv.Anonymizer(
        k=2, epsilon=1, method="suppress", id="id", sensitive=["issue 4"]
    )
    made: Anonymized = estimator.fit(table.to_wide("polars")).result_
    assert made.satisfied
    assert "<article" in found._repr_html_()


def publish(table: RatingTable) -> None:
    """Find what is within reach, group, change, withhold, and attack what comes of it."""
    within: Frontier = ratingpriv.frontier(table, k=3, l=2.0)
    assert within.smallest_epsilon is not None
    groups: PartitionResult = ratingpriv.partition(table, k=2, epsilon=1)
    assert groups.found
    assert [members.tolist() for members in groups.groups.members()] == [[0, 1], [2, 3], [4, 5]]
    changed: Anonymized = modify(table, k=3, epsilon=2)
    assert changed.satisfied
    fewer: Anonymized = suppress(table, k=3, epsilon=2)
    assert fewer.table.n_records == 4
    assert fewer.optimal
    with tempfile.TemporaryDirectory() as folder:
        release: Release = write_release(changed, Path(folder, "release.csv"), rng=1)
        assert verify(release.path).valid
    useful: Utility = ratingpriv.utility(
        table, changed.table, truth="ids", require="information_loss<=1"
    )
    assert useful.passed
    drawn: Drawn = draw(table, Knowledge(known=2), rng=1)
    found: Attacked = scoreboard_rh(changed.table, drawn.auxiliary)
    assert found.best.shape == (6,)
    findings: Findings = ratingpriv.attack(table, known=2, fail_above=0.0)
    assert findings.to_dict() == study(table, known=2, fail_above=0.0).to_dict()
    assert findings.passed is False


def refuse(table: RatingTable) -> None:
    """Ask for what cannot be; every error has one base."""
    errors: list[RatingPrivError] = []
    try:
        ratingpriv.audit(table, k=0, epsilon=1)
    except ParameterError as error:
        errors.append(error)
    try:
        ratingpriv.read(Path("nowhere.csv"))
    except DataError as error:
        errors.append(error)
    assert len(errors) == 2


if __name__ == "__main__":
    example = read()
    for use in (judge, look, publish, refuse):
        use(example)
