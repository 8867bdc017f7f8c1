"""A program that uses only what is public: type-checked and run, in the checkout and against the built wheel.

It reads ``table2.csv`` (the papers' Table 2) from the current folder.
"""

from __future__ import annotations

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
from ratingpriv.proximity.hamming import HammingGroups, hamming_groups
from ratingpriv.proximity.neighbourhoods import Neighbourhoods, meets_k, neighbourhoods
from ratingpriv.proximity.pairs import count_pairs, pairs
from ratingpriv.utility.result import Utility


def read() -> RatingTable:
    """Read the example, in the three ways."""
    options = ReadOptions(id="id", sensitive=("issue 4",), scale=(1, 7))
    table: ratingpriv.RatingTable = ratingpriv.read("table2.csv", options=options)
    frame = pl.read_csv("table2.csv")
    wide = RatingTable.from_wide(frame, id="id", sensitive=["issue 4"], scale=(1, 7))
    long = RatingTable.from_long(table.to_long(), record="id", sensitive=["issue 4"], scale=(1, 7))
    assert table.n_records == wide.n_records == long.n_records == 6
    scale: Scale | None = table.scale
    assert scale is not None
    assert scale.declared
    return table


def judge(table: RatingTable) -> AuditResult:
    """Audit the example and look at the result in every way."""
    result = ratingpriv.audit(table, k=2, epsilon=1, l=1.5)
    sizes: NDArray[np.int64] = result.sizes
    sds: NDArray[np.float64] = result.sd("issue 4")
    assert sizes.tolist() == [3, 2, 3, 2, 2, 2]
    assert float(sds.min()) == 1.5
    assert result.satisfied
    assert result.k_epsilon.max_k == 2
    assert result.k_epsilon_l is not None
    assert result.k_epsilon_l.max_l["issue 4"] == 1.5
    assert json.loads(json.dumps(result.to_dict()))["schema"] == "ratingpriv.audit/1"
    return result


def expose(table: RatingTable) -> None:
    """Ask what inexact knowledge leaves, and what neighbours give away."""
    exposed = ratingpriv.exposure(table, error=1)
    expected: NDArray[np.float64] = exposed.expected_by_record
    assert len(expected) == table.n_records
    assert exposed.worst >= 1
    tolerance = ratingpriv.audit(table, k=2, epsilon=1, at_most=0.5).tolerance
    assert tolerance is not None
    assert tolerance.within == (tolerance.share <= 0.5)
    result = ratingpriv.audit(table, k=2, epsilon=1, max_share=1.0, distinct=1, nulls="known", exposure=1)
    assert result.exposure is not None
    assert result.inference["issue 4"].distinct == 2


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


def near(table: RatingTable) -> None:
    """Ask what is near what."""
    groups: HammingGroups = hamming_groups(table)
    found: Neighbourhoods = neighbourhoods(table, 1, sensitive=False)
    assert int(groups.sizes.sum()) == table.n_records
    assert count_pairs(table, 1) == found.pairs == 4
    assert meets_k(table, 2, 1)
    edges = [
        (int(left), int(right), float(distance))
        for block in pairs(table, 1)
        for left, right, distance in zip(block.left, block.right, block.distance, strict=True)
    ]
    assert edges == [(0, 1, 1.0), (0, 2, 1.0), (2, 3, 1.0), (4, 5, 1.0)]


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
    useful: Utility = ratingpriv.utility(table, changed.table, truth="ids", require="information_loss<=1")
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
    assert [type(error).__name__ for error in errors] == ["ParameterError", "DataError"]


if __name__ == "__main__":
    example = read()
    judge(example)
    expose(example)
    look(example)
    near(example)
    publish(example)
    refuse(example)
