"""Small tables as text, mostly right, and the commands that read them."""

from __future__ import annotations

import random

from fuzz.mutations import NUMBERS, TEXTS, either

__all__ = ["SIDE", "asked", "cell", "long_text", "movielens_text", "name", "netflix_text", "wide_text"]

SIDE = ("out.json", "out.txt", "r.csv", "r.csv.gz", "r.zip", "r.tsv.zst", "r.parquet", "k.json", "p.csv",
"p.parquet", "c.json",
        "g.csv")  # fmt: skip
"""Files that :func:`asked` may ask for."""


def cell(rng: random.Random, odd: float) -> str:
    """Return a rating of 1..5, nothing, or something odd."""
    if rng.random() < odd:
        return rng.choice(NUMBERS + TEXTS)
    return either(rng, 8, lambda: str(rng.randint(1, 5)), 1, "", 1, "NA")


def name(rng: random.Random, usual: str, odd: float) -> str:
    return rng.choice(TEXTS) if rng.random() < odd else usual


def _quoted(text: str, delimiter: str, rng: random.Random) -> str:
    if (delimiter in text or any(sign in text for sign in '"\r\n')) and rng.random() < 0.9:
        return '"' + text.replace('"', '""') + '"'
    return text


def _lines(rows: list[list[str]], delimiter: str, rng: random.Random) -> str:
    end = either(rng, 8, "\n", 1, "\r\n", 1, "\r")
    lines = [delimiter.join(_quoted(text, delimiter, rng) for text in row) for row in rows]
    if lines and rng.random() < 0.05:
        place = rng.randrange(len(lines))
        lines[place] = rng.choice(
            ("", lines[place] + delimiter, lines[place].rpartition(delimiter)[0], '"' + lines[place])
        )
    return end.join(lines) + rng.choice((end, end, end, ""))


def wide_text(rng: random.Random, odd: float = 0.03) -> str:
    """Return a row a record."""
    delimiter = either(rng, 8, ",", 1, ";", 1, "\t", 1, "|", 1, "::")
    columns, rows = rng.choice((1, 2, 3, 4, 6)), rng.choice((0, 1, 2, 3, 5, 9, 15))
    table = [["id", *(f"q{number}" for number in range(1, columns)), "age"]] if rng.random() < 0.9 else []
    for header in table:
        header[:] = [name(rng, text, odd) for text in header]
    for row in range(rows):
        ratings = [cell(rng, odd) for _ in range(columns - 1)]
        table.append([name(rng, f"r{row}", odd), *ratings, cell(rng, odd)])
    return _lines(table, delimiter, rng)


def long_text(rng: random.Random, odd: float = 0.03) -> str:
    """Return a row a rating."""
    delimiter = either(rng, 8, ",", 1, ";", 1, "\t")
    dated, records, issues = rng.random() < 0.5, rng.choice((1, 2, 5, 8)), rng.choice((1, 2, 4))
    header = ["user", "item", "rating", "date"][: 4 if dated else 3]
    table = [[name(rng, text, odd) for text in header]] if rng.random() < 0.9 else []
    for record in range(records):
        for issue in range(issues):
            if rng.random() < 0.2:
                continue
            row = [name(rng, f"u{record}", odd), name(rng, f"i{issue}", odd), cell(rng, odd)]
            if dated:
                row.append(_time(rng, odd))
            table += [row] * either(rng, 20, 1, 1, 2)
    return _lines(table, delimiter, rng)


def _time(rng: random.Random, odd: float) -> str:
    if rng.random() < odd:
        return rng.choice(
            ("9999-12-31T23:59:59.999999+23:59", "0001-01-01T00:00:00+23:59", "2005-13-01", "2005-02-30",
            "-1", "1e18",
             "9223372036854775808", "99999999999999999999", "2005-W01", "20050101", "24:00",
             "2005-01-01T24:00", "1e300",
             "2005-01-01T00:00:00Z", "12/31/2005", "0000-00-00", "2005-09-06 10:11:12,5", *NUMBERS)
        )  # fmt: skip
    return f"2005-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}"


def movielens_text(rng: random.Random, odd: float = 0.03) -> tuple[str, str]:
    """Return a file name of MovieLens and a text for it."""
    called, delimiter = rng.choice((("u.data", "\t"), ("ratings.dat", "::"), ("ratings.csv", ",")))
    rows = [["userId", "movieId", "rating", "timestamp"]] if called == "ratings.csv" else []
    for user in range(1, rng.choice((2, 4, 8))):
        for movie in range(1, rng.choice((2, 3, 5))):
            rating = f"{rng.randint(1, 5)}.0" if called == "ratings.csv" else str(rng.randint(1, 5))
            row = [str(user), str(movie), rating, str(880_000_000 + rng.randrange(10**7))]
            rows.append([rng.choice(NUMBERS + TEXTS) if rng.random() < odd else text for text in row])
    text = "\n".join(delimiter.join(row) for row in rows) + "\n"
    return called, text


def netflix_text(rng: random.Random, odd: float = 0.03) -> str:
    """Return movies with their customers."""
    lines = []
    for movie in range(1, rng.choice((2, 3, 5))):
        lines.append(f"{rng.choice(NUMBERS) if rng.random() < odd else movie}:")
        for customer in range(1, rng.choice((2, 4, 8))):
            parts = [str(customer), str(rng.randint(1, 5)), f"2005-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}"]
            lines.append(
                ",".join(rng.choice(NUMBERS + TEXTS) if rng.random() < odd else part for part in parts)
            )
    if lines and rng.random() < 0.1:
        rng.shuffle(lines)
    return "\n".join(lines) + rng.choice(("\n", ""))


def asked(rng: random.Random, data: str, *options: str) -> tuple[list[str], list[str]]:
    """Return a command on ``data`` and the files it may write; mostly an audit, which is quick."""
    k, epsilon = str(rng.randint(1, 4)), rng.choice(("0", "1", "2", "0.5"))
    more = [*options]
    if rng.random() < 0.15:
        more += ["--sensitive", rng.choice(("age", "q1", "i0", "2", "x"))]
    if rng.random() < 0.15:
        more += rng.choice((["--layout", "wide"], ["--layout", "long"], ["--set", "header=no"],
                            ["--set", "header=yes"],        ["--null", "0"],
                            ["--scale", "1:5"], ["--id", "1"], ["--drop", "q1"], ["--set", "duplicates=mean"],
                            ["--items", "top:2"], ["--items", "q1,q2"], ["--sample", "0.5"], ["--sample",
                            "3"],
                            ["--set", "delimiter=;"],
                            ["--set", "timestamp=4"], ["--rating", "3"]))  # fmt: skip
    if rng.random() < 0.3:
        more.append("--json")
    deviation: list[str] = []
    if "--sensitive" in more and rng.random() < 0.5:
        deviation = ["--l", rng.choice(("0", "1", "0.5"))]
    match either(rng, 12, "audit", 2, "frontier", 2, "partition", 2, "anonymize", 2, "attack"):
        case "audit":
            outputs = either(
                rng,
                8,
                [],
                1,
                ["-o", "out.json"],
                1,
                ["--per-record", "p.csv"],
                1,
                ["--per-record", "p.parquet"],
            )
            command = ["audit", data, "--k", k, "--epsilon", epsilon, *outputs, *deviation, *more]
        case "frontier":
            outputs = either(rng, 8, [], 1, ["-o", "out.json"])
            command = ["frontier", data, *either(rng, 1, [], 1, ["--k", k]), *outputs, *deviation, *more]
        case "partition":
            outputs = either(rng, 3, [], 1, ["--certificate", "c.json"], 1, ["--groups", "g.csv"])
            command = ["partition", data, "--k", k, "--epsilon", epsilon, *outputs, *deviation, *more]
        case "anonymize":
            release = rng.choice(("r.csv", "r.csv.gz", "r.zip", "r.parquet", "r.tsv.zst"))
            outputs = ["-o", release, *either(rng, 2, [], 1, ["--key", "k.json"])]
            method = rng.choice(("modify", "suppress"))
            command = [
                "anonymize",
                data,
                "--k",
                k,
                "--epsilon",
                epsilon,
                "--method",
                method,
                *outputs,
                *deviation,
                *more,
            ]
        case _:
            outputs = either(rng, 3, [], 1, ["-o", "out.json"])
            command = ["attack", data, "--known", k, *outputs, *more]
    return command, list(SIDE)
