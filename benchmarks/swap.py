"""Swap beside what protects as well, on three real files by the product's own commands.

And its bars.

    python -m benchmarks.swap [--quick]

For each file `anonymize` makes a release of groups of 12 by swap, by `modify` at ε = 0 and by
`predictive`, with all measures of utility, and `attack` says of how many people all ratings are
read. Swap loses on clusters of people and on ratings changed: both stand in the table. The files
are in the folder of test data (RATINGPRIV_TEST_DATA, else ../shared/data). Some ten minutes on two
cores; `--quick` takes the first file.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import ratingpriv
from benchmarks.swap_files import FILES, run
from benchmarks.timing import HEADER, Row, seconds
from ratingpriv.data.table import RatingTable
from ratingpriv.partition import near_groups

K = 12
COMPARED = {"example": "2", "Star Wars, 14": "3", "Big Five, E": "2"}
"""Names of FILES, and ε of the swap."""
METHODS = ("swap", "modify", "predictive")
_NAMES = {"modify": "modify, ε = 0", "predictive": "predictive"}


class Made(NamedTuple):
    """What a release protects and is good for; None: there is none."""

    found: float
    read: float
    before: float
    utility: dict[str, Any]
    changed: float
    cpu: float


def data_folder() -> Path:
    """Return the folder of test data."""
    return Path(os.environ.get("RATINGPRIV_TEST_DATA", "../shared/data")).resolve()


def released(name: str, method: str, folder: Path) -> Made | str:
    """Make and attack a release by one method, or return why there is none."""
    file = next(one for one in FILES if one.name == name)
    original = Path("examples").resolve() / file.path
    original = original if original.exists() else data_folder() / file.path
    how: tuple[object, ...] = file.options
    if file.codebook:
        (folder / "book.toml").write_text(file.codebook, encoding="utf-8")
        how += ("--codebook", folder / "book.toml")
    epsilon = ("--epsilon", COMPARED[name] if method == "swap" else "0")
    release, key = folder / f"{method}.csv", folder / f"{method}.key"
    made = (
        "--method",
        method,
        "-o",
        release,
        "--key",
        key,
        "--utility",
        "all",
        "--json",
        "--quiet",
    )
    asked = ("--k", K, *(() if method == "predictive" else epsilon))
    _, content, cpu, said = run(folder, "anonymize", original, *how, *asked, *made)
    if not release.exists():
        return said
    beside = (
        "--release",
        release,
        "--truth",
        key,
        "--algorithm",
        "best-candidate",
        "--json",
        "--quiet",
    )
    _, attacked, _, said = run(folder, "attack", original, *how, *beside)
    cost = content["cells"]
    return Made(
        content["attack"]["success"]["rate"],
        attacked["release"]["rating_profile"]["rate"],
        content["attack"]["original"]["rate"],
        content["utility"],
        (cost["changed"] + cost["erased"] + cost["filled"]) / cost["rated"],
        cpu,
    )


def _value(made: Made, measure: str) -> str:
    one = made.utility[measure]
    return "–" if one["value"] is None else f"{one['value']:.2g}"


def _shown(made: Made | str) -> Iterator[tuple[str, str]]:
    """Yield what is compared, and what a release has of it."""
    if isinstance(made, str):
        return
    yield "re-identified before", f"{100 * made.before:.1f} %"
    yield "re-identified / all ratings read", f"{100 * made.found:.1f} / {100 * made.read:.1f} %"
    yield "query error", _value(made, "query_error")
    yield "correlations moved", _value(made, "questions")
    original = made.utility["recommender"]["original"]
    yield (
        "recommender, RMSE",
        _value(made, "recommender") + ("" if original is None else f" (original {original:.2g})"),
    )
    yield "people in another cluster (swap loses)", _value(made, "membership_change")
    yield "ratings changed (swap loses)", f"{100 * made.changed:.0f} %"
    yield "CPU time of the command, all measures at its ε", seconds(made.cpu)


def compared(name: str) -> list[Row]:
    """Return a row a measure of one file."""
    with tempfile.TemporaryDirectory() as folder:
        of = {method: released(name, method, Path(folder)) for method in METHODS}
    swap, ours_made = dict(_shown(of["swap"])), of["swap"]
    found = []
    for what, ours in swap.items():
        peers = [
            f"{_NAMES[method]}: {dict(_shown(of[method])).get(what, 'no release')}"
            for method in METHODS[1:]
        ]
        found.append(Row(f"{name}: {what}", ours, "; ".join(peers), "", "", None))
    others = of["modify"]
    if name == "Big Five, E" and isinstance(ours_made, Made) and isinstance(others, Made):
        moved = ours_made.utility["questions"]["value"]
        share = moved / others.utility["questions"]["value"]
        work = f"{name}: correlations moved, against modify at ε = 0"
        found.append(Row(work, f"{moved:.2g}", "", f"1/{1 / share:.0f}", "≤ 1/10", share <= 0.1))
    return found


class Bar(NamedTuple):
    """Groups that are held to a bar: left out, scatter, CPU seconds."""

    name: str
    table: RatingTable
    epsilon: float
    left_out: float
    scatter: float | None
    cpu: float | None


def _read(name: str) -> RatingTable:
    """Read a file of FILES."""
    file = next(one for one in FILES if one.name == name)
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book.toml"
        book.write_text(file.codebook, encoding="utf-8")
        return ratingpriv.read(data_folder() / file.path, codebook=book)


def _drawn(n: int, p: int) -> RatingTable:
    """Return a survey: answers on a scale from 1 to 5 of three latent factors, and noise."""
    rng = np.random.default_rng(1)
    factors = rng.normal(size=(n, 3)) @ rng.normal(size=(3, p)) * 0.5
    answers = np.clip(np.round(3 + factors + rng.normal(size=(n, p)) * 0.7), 1, 5)
    return ratingpriv.read(answers.astype(float), scale=(1, 5))


def bars(*, quick: bool) -> Iterator[Row]:
    """Yield a row a bar of groups."""
    survey = ratingpriv.read(
        "examples/survey.csv", sensitive=["pay"], scale=(1, 5), others="rating"
    )
    near_groups(survey, K, 2)  # compiles
    asked = [Bar("example", survey, 2, 0, 0.23, None)]
    if not quick:
        asked += [
            Bar("Big Five, E, N10 sensitive", _read("Big Five, E, N10 sensitive"), 2, 0, 0.13, 2),
            Bar("Star Wars, 14", _read("Star Wars, 14"), 3, 0, 0.31, None),
            Bar("100k × 10", _drawn(100_000, 10), 3, 0.02, None, 10),
            Bar("100k × 20", _drawn(100_000, 20), 4, 0.02, None, 13),
        ]
    for one in asked:
        used = time.process_time()
        near = near_groups(one.table, K, one.epsilon, withhold_at_most=1.0)
        used = time.process_time() - used
        work = f"groups of {K} within ε = {one.epsilon:g}: {one.name}"
        share, met = near.left_out_share, near.left_out_share <= one.left_out
        met &= one.scatter is None or near.scatter <= one.scatter
        met &= one.cpu is None or used <= one.cpu
        limits = [f"{100 * one.left_out:g} % left out"]
        limits += [] if one.scatter is None else [f"scatter ≤ {one.scatter}"]
        limits += [] if one.cpu is None else [f"CPU ≤ {one.cpu:g} s"]
        ours = f"{100 * share:.2g} % left out, scatter {near.scatter:.3f}, CPU {seconds(used)}"
        yield Row(work, ours, "", "", ", ".join(limits), bool(met))


def main(arguments: list[str] | None = None) -> list[Row]:
    """Run, print and return the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the first file only")
    quick = parser.parse_args(arguments).quick
    print(HEADER)
    found = []
    for row in bars(quick=quick):
        print(row.markdown(), flush=True)
        found.append(row)
    for name in list(COMPARED)[: 1 if quick else None]:
        for row in compared(name):
            print(row.markdown(), flush=True)
            found.append(row)
    return found


if __name__ == "__main__":
    main()
