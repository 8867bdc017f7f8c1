"""What anonymity costs on real data: ``python -m benchmarks.real_data``
writes benchmarks/REAL-DATA.md.

One row for every data set, ε and k: what holds already, the partition, modification and
suppression, with distortion and seconds. ``--quick`` takes few of them and prints instead.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ratingpriv
from benchmarks.__main__ import machine
from benchmarks.anonymize import sliced_distortion
from ratingpriv.anonymize.methods import modify, suppress
from ratingpriv.base.errors import TargetNotReachedError
from ratingpriv.base.files import replacing
from ratingpriv.data.table import RatingTable
from ratingpriv.partition import partition
from ratingpriv.proximity.neighbourhoods import neighbourhoods

PAGE = Path(__file__).parent / "REAL-DATA.md"
KS = (2, 5, 10, 20, 50)
EPSILONS = (0.0, 1.0, 2.0, 3.0)
NOT_BIG_FIVE_ITEMS = ("race", "age", "engnat", "gender", "hand", "source", "country")
INTRODUCTION = """# What anonymity costs on real data

Made by `python -m benchmarks.real_data` ({machine}), from
data that may not be shipped with the code. ε is a distance between ratings. For each k and ε:

* **holds** is the largest k that the data have as they are, by neighbourhoods.
* **groups** is how many groups of k or more `partition` found, **in none** how many records are in
  none of them. "Impossible" is proved. Where it is not said, nobody knows whether a complete
  partition exists.
* **modify: loss** is the information loss (L1), the papers' distortion: the sum of all changes of
  ratings (an unanswered question counted as 0) as a share of the sum of all ratings; **cells** are
  those changed, imputed and suppressed, as a share of all ratings.
* **slicing: loss** is that of the papers' slicing partition, its left-over records put into the
  group where they cost least.
* **suppressed** is how many records `suppress` leaves out: the fewest, proved. "all": nothing would
  be left.

Seconds are of one run with two threads, without reading the file.
"""
HEADER = (
    "| ε | k | holds | groups | in none | seconds | modify: loss | cells | seconds "
    "| slicing: loss | suppressed | seconds |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def data_sets(folder: Path) -> dict[str, RatingTable]:
    """Return the tables by what is said of them."""
    big_five = ratingpriv.read(
        folder / "op-big5" / "data.csv", null=("0",), drop=NOT_BIG_FIVE_ITEMS, scale=(1, 5)
    )
    return {
        "MovieLens 100k, the 20 most rated films": ratingpriv.read(
            folder / "ml-100k" / "u.data"
        ).select_issues("top:20"),
        "Big Five, the 10 items on extraversion": big_five.select_issues(
            [name for name in big_five.issues if name.startswith("E")]
        ),
        "Big Five, all 50 items": big_five,
    }


def timed(work: Callable[[], Any]) -> tuple[Any, str]:
    """Return what ``work`` returns, or the error if it reaches no target,
    and the seconds it took.
    """
    start = time.perf_counter()
    try:
        found = work()
    except TargetNotReachedError as error:
        found = error
    return found, f"{time.perf_counter() - start:.2f}"


def row(table: RatingTable, k: int, epsilon: float) -> str:
    """Measure one line."""
    ratings = float(table.values.sum())
    holds = int(neighbourhoods(table, epsilon, sensitive=False).sizes.min())
    parted, parting = timed(lambda: partition(table, k=k, epsilon=epsilon))
    none = f"{parted.withheld:,}" + (" (impossible)" if parted.proved_impossible else "")
    changed, changing = timed(lambda: modify(table, k=k, epsilon=epsilon))
    sliced = sliced_distortion(table, k, epsilon)
    withheld, withholding = timed(lambda: suppress(table, k=k, epsilon=epsilon))
    cells = changed.distortion
    counts = (cells.changed, cells.filled, cells.erased)
    suppressed = (
        "all" if isinstance(withheld, Exception) else f"{withheld.distortion.records_withheld:,}"
    )
    return (
        f"| {epsilon:g} | {k} | {holds:,} | {parted.n_groups:,} | {none} | {parting} "
        f"| {cells.total / ratings:.2%} | "
        f"{' + '.join(f'{count / table.n_ratings:.1%}' for count in counts)} "
        f"| {changing} | {sliced / ratings:.2%} "
        f"| {suppressed} | {withholding} |"
    )


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="a few rows, printed; nothing is written"
    )
    quick = parser.parse_args().quick
    folder = Path(os.environ.get("RATINGPRIV_TEST_DATA", "../shared/data"))
    pages = [INTRODUCTION.format(machine=machine())]
    for name, table in data_sets(folder).items():
        shape = (
            f"{table.n_records:,} records, {table.n_issues} issues, {table.n_ratings:,} ratings."
        )
        pages.append(f"\n## {name}\n\n{shape}\n\n{HEADER}\n")
        for epsilon in EPSILONS[1:2] if quick else EPSILONS:
            for k in KS[1:2] if quick else KS:
                pages.append(row(table, k, epsilon) + "\n")
                print(name, pages[-1], end="", flush=True)
    if not quick:
        with replacing(PAGE, force=True) as path:
            path.write_text("".join(pages), encoding="utf-8")


if __name__ == "__main__":
    main()
