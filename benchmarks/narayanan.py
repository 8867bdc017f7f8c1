"""The tables of benchmarks/NARAYANAN.md: ``python -m benchmarks.narayanan [--write]``.

Needs ml-100k and netflix-prize-part in the folder that RATINGPRIV_TEST_DATA names (default:
../shared/data beside the checkout). Prints Markdown; --write puts it into the page. The seed is
fixed, so that the same data give the same tables.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import ratingpriv
from ratingpriv.anonymize.methods import modify, suppress
from ratingpriv.attack import Judging, Knowledge, compare, draw, experiment
from ratingpriv.attack.algorithms.methods import index_of
from ratingpriv.attack.sparsity import false_matches, sparsity
from ratingpriv.base.files import replacing
from ratingpriv.base.keys import Key
from ratingpriv.data.formats.reading import ReadOptions
from ratingpriv.data.table import RatingTable

__all__ = [
    "PAGE",
    "TABLES",
    "attack_table",
    "main",
    "markdown",
    "read",
    "sparsity_table",
    "tables",
    "written",
]

PAGE = Path(__file__).parent / "NARAYANAN.md"
SEED = 0
ALGORITHM = "scoreboard-rh"
HEADER = [
    "known", "wrong", "ratings", "dates", "items", "targets", "identified %", "interval",
    "false positives %", "best is correct %", "residual bits", "paper %",
]  # fmt: skip

# what is known, and what [NS08] says of 480,189 Netflix subscribers where it says a number
MOVIELENS: list[tuple[dict[str, Any], str]] = [
    ({"known": 8, "wrong": 2, "date_error": 3}, ""),
    ({"known": 8, "wrong": 2, "date_error": 14}, "99"),
    ({"known": 8, "wrong": 2, "date_error": 14, "rating_error": 1}, ""),
    ({"known": 8, "wrong": 2}, ""),
    ({"known": 8, "wrong": 2, "items": "not-top:100"}, ""),
    ({"known": 8, "wrong": 2, "items": "not-top:500"}, "84"),
    ({"known": 4, "date_error": 14}, ""),
    ({"known": 4}, ""),
    ({"known": 4, "items": "not-top:100"}, ""),
    ({"known": 2, "date_error": 3}, "68"),
    ({"known": 2}, ""),
]
NETFLIX_DATED: list[tuple[dict[str, Any], str]] = [
    ({"known": 8, "wrong": 2, "date_error": 14}, "99"),
    ({"known": 8, "wrong": 2}, ""),
    ({"known": 4, "date_error": 14}, ""),
    ({"known": 4}, ""),
    ({"known": 2, "date_error": 3}, "68"),
    ({"known": 2, "date_error": 14}, ""),
    ({"known": 2}, ""),
]
NETFLIX_WIDE: list[tuple[dict[str, Any], str]] = [
    ({"known": 8, "wrong": 2}, ""),
    ({"known": 8, "wrong": 2, "rating_error": 1}, ""),
    ({"known": 4, "rating_error": 1}, ""),
    ({"known": 4, "rating_error": 1, "items": "not-top:100"}, ""),
    ({"known": 2}, ""),
    ({"known": 2, "items": "not-top:100"}, ""),
    ({"known": 2, "items": "not-top:500"}, ""),
]
RELEASES = (
    ("modify", 2, 1),
    ("modify", 5, 1),
    ("modify", 20, 1),
    ("suppress", 2, 1),
    ("suppress", 2, 2),
)
TABLES = {"ml-100k": MOVIELENS, "netflix-first20": NETFLIX_DATED, "netflix-utd": NETFLIX_WIDE}


def folder() -> Path:
    """Return where the real data are."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("RATINGPRIV_TEST_DATA", beside))


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def read(name: str) -> RatingTable:
    """Read one of the TABLES' data."""
    part = folder() / "netflix-prize-part"
    if name == "ml-100k":
        return ratingpriv.read(folder() / name)
    if name == "netflix-first20":
        return ratingpriv.read(part / "combined_data_1.first20movies.txt")
    columns = ReadOptions(header=False, layout="long", issue="1", id="2", rating="3")
    return ratingpriv.read(part / "utd_subset_TestingRatings.txt", options=columns)


def attack_rows(
    table: RatingTable, settings: list[tuple[dict[str, Any], str]]
) -> Iterator[list[str]]:
    """Attack every record that can be, with Scoreboard-RH and the paper's parameters."""
    index = index_of(table, dated=any("date_error" in setting for setting, _ in settings))
    for setting, paper in settings:
        drawn = draw(table, Knowledge(**setting), rng=SEED)
        judging = Judging(inference=False)
        measures = experiment(table, drawn, ALGORITHM, judging=judging, index=index).measures
        success, bits = measures.success, measures.entropy_bits.median
        error, dates = setting.get("rating_error", 0), setting.get("date_error")
        yield [
            f"{setting['known']}",
            f"{setting.get('wrong', 0)}",
            f"±{error}" if error else "exact",
            "none" if dates is None else f"±{dates} days",
            setting.get("items", "uniform"),
            f"{measures.targets:,}",
            f"{100 * (success.rate or 0):.1f}",
            f"{100 * success.low:.1f}–{100 * success.high:.1f}",
            f"{100 * (measures.false_positive.rate or 0):.1f}",
            f"{100 * (measures.top[1].rate or 0):.1f}",
            "" if bits is None else f"{bits:.2f}",
            paper,
        ]


def attack_table(name: str) -> str:
    """Return one of TABLES as Markdown."""
    return markdown(HEADER, list(attack_rows(read(name), TABLES[name])))


def sparsity_table(table: RatingTable) -> str:
    """Return Fig. 1's curve, for several meanings of similar, as Markdown."""
    points = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("rated the same", {}),
        ("ratings ±1", {"rating_tolerance": 1}),
        ("exact ratings", {"rating_tolerance": 0}),
        ("ratings ±1, dates ±14 days", {"rating_tolerance": 1, "date_tolerance": 14}),
    ]
    rows = [
        [name, *(f"{100 * share:.1f}" for _, share in sparsity(table, **given).curve(points))]
        for name, given in kinds
    ]
    return markdown(["similar means", *(f"≥ {point}" for point in points)], rows)


def theorem_table(table: RatingTable) -> str:
    """Return Theorem 1's bound beside what happens, as Markdown."""
    bounds = [
        [
            f"{one.known}",
            f"{100 * (one.measured.rate or 0):.1f}",
            f"{100 * (one.by_similarity.rate or 0):.1f}",
            f"{100 * one.bound:.3g}",
        ]
        for one in false_matches(table, rng=SEED)
    ]
    header = ["known (exact)", "false match %", "by the theorem's words %", "bound %"]
    return markdown(header, bounds)


def release_table() -> str:
    """Return the attack before and after modification and suppression
    of ml-100k's 20 most rated films.
    """
    table = read("ml-100k").select_issues("top:20")
    header = [
        "method", "k", "ε", "suppressed", "known within", "identified before %", "after %",
        "change, points",
        "interval", "after, of those released %",
    ]  # fmt: skip
    before = {
        error: experiment(
            table,
            draw(table, Knowledge(known=6, rating_error=error), rng=SEED),
            "entropic",
            judging=Judging(false_positives=False, inference=False),
        )
        for error in (0, 1)
    }
    rows = []
    for name, k, epsilon in RELEASES:
        made = {"modify": modify, "suppress": suppress}[name](table, k=k, epsilon=epsilon)
        ids, kept = table.record_ids.to_list(), made.table.record_ids.to_list()
        named = dict(zip(made.kept.tolist(), kept, strict=True))
        key = Key(tuple(ids), tuple(named.get(place) for place in range(len(ids))))
        for error, attack in before.items():
            (found,) = compare((attack,), made.table, key)
            change, released = found.difference, found.of_released
            rows.append(
                [
                    name,
                    f"{k}",
                    f"{epsilon}",
                    f"{table.n_records - made.table.n_records:,}",
                    f"±{error}" if error else "exact",
                    f"{100 * (attack.measures.success.rate or 0):.1f}",
                    f"{100 * (found.after.measures.success.rate or 0):.1f}",
                    f"{100 * (change.rate or 0):+.1f}",
                    f"{100 * change.low:+.1f} to {100 * change.high:+.1f}",
                    f"{100 * (released.rate or 0):.1f} of {released.of:,}",
                ]
            )
    return markdown(header, rows)


def tables() -> Iterator[tuple[str, str]]:
    """Give the name and the Markdown of every table of the page."""
    for name in TABLES:
        yield name, attack_table(name)
    movielens = read("ml-100k")
    yield "sparsity", sparsity_table(movielens)
    yield "theorem", theorem_table(movielens)
    yield "releases", release_table()


def written(page: str, name: str, table: str) -> str:
    """Return the page with a table put between its marks."""
    start, end = f"<!-- table: {name} -->\n", "<!-- end -->"
    before, _, rest = page.partition(start)
    return f"{before}{start}\n{table}\n{end}{rest.partition(end)[2]}"


def main() -> None:
    """Print the tables; with --write put them into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE.name}")
    arguments = parser.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    for name, table in tables():
        print(f"### {name}\n\n{table}")
        page = written(page, name, table)
    if arguments.write:
        with replacing(PAGE, force=True) as path:
            path.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
