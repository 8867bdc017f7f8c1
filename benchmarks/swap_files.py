"""Ten real files from file to verified release by ``--method swap``, by the product's own commands.

    python -m benchmarks.swap_files [NAME...]

The files are in the folder of test data (RATINGPRIV_TEST_DATA, else ../shared/data). Each goes
through anonymize, verify, verify with original and key, attack, report, ingest and ingest of the
release; a line a file says how each command ended, how many people are left out, and what the
groups tell.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.timing import Row
from ratingpriv.base.reservations import RESERVATIONS

_BAR = (
    "verify, verify with original and key, and both ingests exit with 0; every group table "
    "unchanged"
)
_VIEWS = (
    '[data]\nencoding = "mac_roman"\nmissing = ["Unfamiliar (N/A)"]\nkeep = ["Q5_*", {also}]\n\n'
    '[columns."Q5_*"]\nrole = "rating"\n'
)
_GENDER = '[columns.Gender]\nrole = "quasi"\n'
_LONG = '[data]\nlayout = "long"\nid = "2"\nissue = "1"\nrating = "3"\n'
_FIVE = '[data]\nscale = "1:5"\nmissing = ["0"]\nkeep = [{items}]\n{more}'


class File(NamedTuple):
    """A data set, what its columns are, and the ε that is asked for; "":
    the smallest that serves.
    """

    name: str
    path: str
    codebook: str = ""
    options: tuple[str, ...] = ()
    k: int = 12
    epsilon: str = ""
    words: tuple[str, ...] = ()  # what a receiver has to say of the release's columns


def _five(*letters: str, more: str = "") -> str:
    items = ", ".join(f'"{letter}{number}"' for letter in letters for number in range(1, 11))
    return _FIVE.format(items=items + (', "N10"' if more else ""), more=more)


_NONVOTERS = (
    '[data]\nscale = "1:4"\nmissing = ["-1"]\nkeep = ["Q2_*"]\n\n[columns."Q2_*"]\nrole '
    '= "rating"\n'
)
FILES = (
    File("example", "survey.csv", options=("--sensitive", "pay", "--others", "rating")),
    File("reviews", "reviews.csv", options=("--no-sensitive",), k=3),
    File(
        "Star Wars, 14",
        "exports/fivethirtyeight-star-wars.csv",
        _VIEWS.format(also="").replace(", ]", "]"),
        ("--no-sensitive",),
        epsilon="3",
    ),
    File(
        "Star Wars, 14, gender",
        "exports/fivethirtyeight-star-wars.csv",
        _VIEWS.format(also='"Gender"') + _GENDER,
        ("--no-sensitive",),
        epsilon="3",
    ),
    File("nonvoters, 10", "exports/fivethirtyeight-nonvoters.csv", _NONVOTERS, ("--no-sensitive",)),
    File("Big Five, E", "op-big5/data.csv", _five("E"), ("--no-sensitive",)),
    File(
        "Big Five, E, N10 sensitive",
        "op-big5/data.csv",
        _five("E", more='[columns.N10]\nrole = "sensitive"\n'),
        epsilon="2",
    ),
    File(
        "Big Five, 20 items", "op-big5/data.csv", _five("E", "N"), ("--no-sensitive",), epsilon="4"
    ),
    File("MovieLens, top 20", "ml-100k", options=("--items", "top:20", "--no-sensitive")),
    File(
        "Netflix sample, top 20",
        "netflix-prize-part/utd_subset_TestingRatings.txt",
        _LONG,
        ("--items", "top:20", "--no-sensitive"),
        words=("--layout", "long", "--id", "2", "--issue", "1", "--rating", "3"),
    ),
)


def run(folder: Path, *arguments: object) -> tuple[int, dict[str, Any], float, str]:
    """Run a command; return its exit code, its JSON, the CPU seconds it took, and what it said."""
    command = [sys.executable, "-m", "ratingpriv", *map(str, arguments)]
    before = os.times()
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = os.times()
    spent = (
        after.children_user + after.children_system - before.children_user - before.children_system
    )
    try:
        content = json.loads(ended.stdout)
    except ValueError:
        content = {}
    return ended.returncode, content, spent, ended.stderr.strip()


def one(file: File, data: Path, folder: Path) -> dict[str, Any]:
    """Take one file through all commands."""
    original = Path("examples").resolve() / file.path
    original = original if original.exists() else data / file.path
    how: list[object] = [*file.options]
    if file.codebook:
        (folder / "book.toml").write_text(file.codebook, encoding="utf-8")
    book: tuple[object, ...] = ("--codebook", folder / "book.toml") if file.codebook else ()
    how += book
    at = ("--epsilon", file.epsilon) if file.epsilon else ()
    release, key = folder / "r.csv", folder / "r.key"
    code, made, spent, said = run(
        folder, "anonymize", original, *how, "--k", file.k, *at, "--method", "swap", "-o", release,
        "--key", key, "--json", "--quiet",
    )  # fmt: skip
    row: dict[str, Any] = {"file": file.name, "anonymize": code, "cpu": round(spent, 1)}
    if not release.exists():
        return row | {"said": said or made.get("message", "")}
    codes = [one["code"] for one in made["cautions"] if one["code"] in RESERVATIONS]
    row["reservations"] = ",".join(codes)
    row["epsilon"], row["left out"] = made["parameters"]["epsilon"], made["records"]["withheld"]
    tables = made["swap"]["tables"]
    row |= {
        name: round(tables[name], 3) for name in ("right_group", "found", "all_agree", "own_row")
    }
    store = f"embedded:{folder / 'g.grafeo'}"
    accept = tuple(word for code in codes for word in ("--accept", code))
    every = {
        "verify": ("verify", release, *file.words, *accept, "--json"),
        "with key": ("verify", release, *file.words, "--original", original, "--key", key, *book,
        *accept,
                     "--json"),
        "attack": ("attack", original, *how, "--release", release, "--truth", key, "--targets", 200,
                   "--json"),
        "report": ("report", original, *how, "--k", file.k, "--epsilon", row["epsilon"],
        "--release", release,
                   "--truth", key, "-o", folder / "r.html", "--skip", "frontier", "--skip",
                   "exposure",
                   *(("--skip", "verify") if file.words else ())),
        "ingest": ("ingest", original, *how, "--dataset", "d", "--store", store, "--json"),
        "release": ("ingest", release, *how, "--release-of", "d", "--run", "s", "--key", key,
                    "--store", store, "--json"),
    }  # fmt: skip
    for name, arguments in every.items():
        code, content, spent, said = run(folder, *arguments, "--quiet")
        row[name] = code
        if code == 2 or (code and name in ("verify", "with key", "ingest", "release")):
            row["said"] = f"{row.get('said', '')} {name}: {said[-600:]}"
        if name == "with key" and "recounted" in content:
            found = content["recounted"]
            row["tables"] = f"{found['unchanged']} of {found['tables']}"
    return row


def main(arguments: list[str] | None = None) -> list[Row]:
    """Print a line of JSON a file, and return a row a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="names of files; else all")
    parser.add_argument("--quick", action="store_true", help="the first file only")
    asked = parser.parse_args(arguments)
    data = Path(os.environ.get("RATINGPRIV_TEST_DATA", "../shared/data")).resolve()
    wanted = asked.names or [file.name for file in FILES][: 1 if asked.quick else None]
    found = []
    for file in FILES:
        if file.name in wanted:
            with tempfile.TemporaryDirectory() as folder:
                row = one(file, data, Path(folder))
            print(json.dumps(row), flush=True)
            found.append(_judged(file, row))
    return found


def _judged(file: File, row: dict[str, Any]) -> Row:
    """Return how a file went, as a row of RESULTS.md."""
    if "epsilon" not in row:
        return Row(
            f"{file.name}, k = {file.k}", f"no release: {row.get('said', '')}", "", "", _BAR, False
        )
    same = [int(part) for part in row.get("tables", "0 of 1").split(" of ")]
    met = same[0] == same[1] and not any(
        row[step] for step in ("verify", "with key", "ingest", "release")
    )
    ours = (
        f"{row['left out']:,} left out; {row.get('tables')} group tables unchanged; own group "
        f"{100 * row['right_group']:.0f} %, groups agree {100 * row['all_agree']:.1f} %, own row "
        f"{100 * row['own_row']:.0f} %; reservations: {row['reservations'] or 'none'}"
    )
    peer = f"report {row['report']}, attack {row['attack']}"
    return Row(f"{file.name}, k = {file.k}, ε = {row['epsilon']:g}", ours, peer, "", _BAR, met)


if __name__ == "__main__":
    main()
