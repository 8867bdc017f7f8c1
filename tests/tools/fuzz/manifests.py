"""Manifests edited at random: VALID only where counting plainly agrees,
and no edit ends unexpectedly.

``make fuzz N=1000 KINDS=manifests``: one attempt edits the manifests of a few tiny releases many
times, once or several places each: what is said of reading, as a forger would, or anything is set,
deleted or bent. Most are then *forged on*: every figure that ``verify`` would count again is set to
what it counts, as a careful forger would. The judge reads the released file with the csv module (or
pyarrow) as its publisher meant it, and counts neighbourhoods by the definition, in fractions
(``naive.written``).
"""

import copy
import csv
import functools
import json
import random
import tempfile
import traceback
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from naive.written import Written, satisfied

import ratingpriv
from fuzz import mutations
from ratingpriv.anonymize import verify, write_release
from ratingpriv.base.errors import RatingPrivError

EDITS = 20
"""How many edited manifests one attempt checks."""

WIDE = (
    "user,q1,q2,q3,pay\na,4,5,1,30\nb,4,4,1,40\nc,5,5,2,50\nd,4,5,,20\ne,5,4,,60\nf,4,4,,30\n"
    "g,1,2,4,30\nh,2,2,5,40\n"
)
PLAIN = "a,b,mark\n5,5,101\n5,4,102\n4,5,103\n4,4,104\n1,1,105\n2,1,106\n1,2,107\n"
BARE = "1,9,5\n4,5,3\n5,4,3\n1,2,3\n2,1,3\n1,1,2\n"
LONG = "user,movie,rating\n" + "".join(
    f"u{user},m{movie},{1 + (user * movie) % 3 * 0.5}\n"
    for user in range(6)
    for movie in range(3)
    if (user, movie) != (2, 1)
)


@dataclass(frozen=True)
class Sample:
    """One release, its true manifest, and how its publisher meant it."""

    name: str
    path: Path
    manifest: dict[str, Any]
    records: tuple[dict[str, Fraction], ...]
    columns: tuple[str, ...]
    issues: tuple[str, ...]
    sensitive: tuple[str, ...]


# ---- the releases ----

PAY = {"pay": (0, 100)}


def samples(folder: Path) -> list[Sample]:
    made = []
    for name, text, reading, asked, more in (
        ("wide.csv", WIDE, {"sensitive": ["pay"], "scale": (1, 5), "sensitive_scale": PAY},
         {"k": 2, "epsilon": 1, "l": 5}, {}),
        ("no-ids.csv", WIDE, {"drop": ["pay"]}, {"k": 2, "epsilon": 1, "nulls": "wildcard"},
         {"ids": "strip"}),
        ("keep.csv", WIDE.replace(",,", ",N/A,"), {"sensitive": ["pay"], "null": ["N/A"]},
         {"k": 2, "epsilon": 1}, {"ids": "keep"}),
        ("plain.csv", PLAIN, {"drop": ["mark"]}, {"k": 2, "epsilon": 1}, {}),
        ("distinct.csv", PLAIN, {}, {"k": 2, "epsilon": 1}, {}),
        ("bare.csv", BARE, {"header": False, "layout": "wide"}, {"k": 1, "epsilon": 1}, {"rng": 8}),
        ("long.csv", LONG, {}, {"k": 2, "epsilon": 0.5}, {}),
        ("semicolons.csv", LONG.replace(",", ";"), {}, {"k": 2, "epsilon": 0.5}, {"ids": "keep"}),
        ("wide.parquet", WIDE, {"sensitive": ["pay"]}, {"k": 2, "epsilon": 1}, {}),
        ("long.parquet", LONG, {}, {"k": 3, "epsilon": 1}, {}),
    ):  # fmt: skip
        source = folder / f"input of {name}.csv"
        source.write_text(text, encoding="utf-8")
        table = ratingpriv.read(source, **reading)
        method = "modify" if name in ("wide.csv", "long.csv") else "suppress"
        path = folder / name
        write_release(
            ratingpriv.anonymize(table, method, **asked, rng=0), path, **{"rng": 1} | more
        )
        made.append(_sample(path, reading.get("sensitive", ()), header=reading.get("header", True)))
    return made


def _sample(path: Path, sensitive: Any, *, header: bool) -> Sample:
    """Read a release plainly."""
    content = json.loads(path.with_name(path.name + ".manifest.json").read_text(encoding="utf-8"))
    if path.suffix == ".parquet":
        found = pq.read_table(path)
        names = found.column_names
        lines = [
            ["" if one is None else repr(one) for one in line.values()]
            for line in found.to_pylist()
        ]
    else:
        delimiter = ";" if path.name.startswith("semicolons") else ","
        lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter=delimiter))
        names = lines.pop(0) if header else [str(place + 1) for place in range(len(lines[0]))]
    records: dict[Any, dict[str, Fraction]] = {}
    if "rating" in names:
        for user, issue, rating in lines:
            row = records.setdefault(user, {})
            if rating:
                row[issue.strip("'")] = Fraction(rating)
        issues = sorted({issue.strip("'") for _, issue, _ in lines})
    else:
        issues = [name for name in names if name != "user"]
        for number, line in enumerate(lines):
            cells = dict(zip(names, line, strict=True))
            records[number] = {
                one: Fraction(cells[one]) for one in issues if cells[one] not in ("", "N/A")
            }
    plain = tuple(name for name in issues if name not in sensitive)
    return Sample(
        path.name, path, content, tuple(records.values()), tuple(names), plain, tuple(sensitive)
    )


# ---- the judge ----


def holds(sample: Sample, sensitive: Any, scale: Any, *, k: int, nulls: str, **limits: Any) -> bool:
    """Whether the released records are (k,ε,l)-anonymous,
    by the definition [SWLZ11, Def. 4.1-4.3].
    """
    everything = (*sample.issues, *sample.sensitive)
    issues = [name for name in everything if name not in sensitive]
    rows, secret = (
        [[row.get(name) for name in names] for row in sample.records]
        for names in (issues, sensitive)
    )
    data = Written([], issues, rows, secret, True)
    r = data.largest()
    if scale is not None:
        low, high = map(_fraction, scale)
        if any(not low <= rating <= high for row in rows for rating in row if rating is not None):
            return False
        r = high
    l = None if limits["l"] is None else _fraction(limits["l"])  # noqa: E741
    rule = limits["sensitive_nulls"]
    return satisfied(data, k, _fraction(limits["epsilon"]), l, nulls, rule, r)


def _fraction(value: float) -> Fraction:
    return Fraction(Decimal(repr(float(value))))


# ---- the edits ----

READ = {
    "format": ["delimited", "parquet", "movielens", "nothing", 3],
    "layout": ["long", "wide", "tall", None],
    "timestamp": ["user", "rating", "q2"],
    "sensitive": [["pay"], ["q1", "q2", "q3"], ["m0", "m1", "m2"], "pay", [], ["1"],
    ["pay", "pay"]],
    "drop": [["q1"], ["a"], ["user"]],
    "scale": [[1, 5], [1, 4], [-100, 100], [5, 1], [0, 1e308], [1, "5"], [1], [1, 2.5]],
    "null": [["1"], ["1", "2", "3", "4", "5"], ["1.0"], ["٤"], ["N/A"], ["x"], ["NA", "5"], [" 5"],
    ["1e0"],
             ["inf"], ["nan"], [""]],
    "delimiter": [",", ";", "\t", "|", "5", ".", "1", "", " ", "user", "e"],
    "encoding": ["utf-8", "utf-16", "latin-1", "cp037", "utf-7", "nothing", "rot13", "ascii", "hz",
                 "unicode_escape"],
    "header": [True, False, None, 1],
    "duplicates": ["first", "last", "mean"],
    "timestamps": [True, False, 0],
    "max_problems": [1, 0],
    "progress": [None, 1],
}  # fmt: skip
"""Options of reading, and what a manifest may say of them or may not."""
ASKED = {
    "epsilon": [0, 0.5, 1, 2, 4, 5, 9], "l": [None, 0, 0.5, 5, 20], "nulls": ["wildcard"],
    "sensitive_nulls": ["paper", "ignore"],
}  # fmt: skip
GONE = object()


def edited(rng: random.Random, sample: Sample) -> str:
    """Return a manifest's text after edits: half of a forger's, half noise, written oddly too."""
    content = copy.deepcopy(sample.manifest)
    if rng.random() < 0.3:
        return mutations.bent(rng, content).decode("utf-8", "surrogateescape")
    moves: list[dict[str, Any]] = [*plausible(rng, sample), *plausible(rng, sample)]
    moves += [{name: rng.choice(values)} for name, values in READ.items()]
    for move in rng.sample(moves, rng.choice([0, 1, 1, 1, 2])):
        for name, value in move.items():
            content["read"][name] = value
            if value is GONE:
                del content["read"][name]
    for name in rng.sample(list(ASKED), rng.choice([0, 1, 1, 2])):
        content["parameters"][name] = rng.choice(ASKED[name])
    return json.dumps(mutations.edited(rng, content) if rng.random() < 0.3 else content)


def plausible(rng: random.Random, sample: Sample) -> list[dict[str, Any]]:
    """Draw what a forger might say of reading who knows the file: all of its types,
    and of its columns.
    """
    names = list(sample.columns)
    some = rng.sample(names, rng.randrange(1, len(names) + 1))
    values = sorted({str(float(one)) for row in sample.records for one in row.values()})
    roles = dict(zip(("id", "issue", "rating"), rng.sample(names, len(names)), strict=False))
    return [
        {"sensitive": some},
        {"only": some},
        {"null": rng.sample(values, rng.choice([1, len(values)]))},
        {"null": [rng.choice(values).removesuffix(".0")]},
        {"id": rng.choice([*names, GONE])},
        {"layout": "long", **roles},
        {"layout": "wide", "issue": GONE, "rating": GONE, "id": rng.choice([*names, GONE])},
        {"scale": sorted(rng.sample([-1000, -1, 0, 0.5, 1, 2, 2.5, 4, 5, 30, 107, 1000], 2))},
        {"timestamp": rng.choice(names), "timestamps": rng.choice([True, False])},
    ]


_QUASI_COSTS = ("cells", "changed", "erased", "records_touched", "withheld", "moved")


def forged(text: str, sample: Sample, found: Any) -> str:
    """Return the manifest with every figure as ``verify`` counted it:
    what a careful forger does.
    """
    content, result = json.loads(text), found.audit
    table = found.reading.table
    mean = None if not table.n_ratings else float(f"{float(table.values.mean()):.2g}")
    diverse, share = result.k_epsilon_l, 0.0 if table.n_ratings else None
    known = sum(int((column.codes >= 0).sum()) for column in table.quasi)
    content.update(
        records={"released": table.n_records, "withheld": 0},
        issues=table.n_issues,
        sensitive=[column.name for column in table.sensitive],
        ids="keep",
        cautions=[caution.to_dict() for caution in result.cautions],
        verification={
            "satisfied": True, "read_from": "the written file", "largest_k": result.k_epsilon.max_k,
            "largest_l": None if diverse is None else dict(diverse.max_l),
            "highest_risk": result.risk.prosecutor_max, "average_risk": result.risk.marketer,
            "violators": result.n_violators,
        },
        distortion={
            "total": 0.0, "changed": 0, "filled": 0, "erased": 0, "records_touched": 0,
            "records_withheld": 0,
            "ratings": table.n_ratings, "cells": table.n_records * table.n_issues,
            "ratings_withheld": 0,
            "mean_before": mean, "mean_after": mean, "mean_filled": None, "sd_filled": None,
            "shares": dict.fromkeys(("changed", "filled", "erased", "withheld"), share),
            **({"quasi": dict.fromkeys(_QUASI_COSTS, 0) | {"cells": known}} if table.quasi else {}),
        },
    )  # fmt: skip
    content["parameters"]["k"] = result.k_epsilon.max_k
    return json.dumps(content)


def demands(rng: random.Random, sample: Sample) -> dict[str, Any]:
    """Draw what the receiver demands and says; nothing in half of all cases."""
    if rng.random() < 0.5:
        return {}
    asked: dict[str, Any] = {"k": rng.randrange(1, 4), "epsilon": rng.choice([0, 0.5, 1, 2, 5])}
    if rng.random() < 0.8:
        asked["sensitive"] = rng.choice([list(sample.sensitive), []])
    if asked.get("sensitive") and rng.random() < 0.5:
        asked["l"] = rng.choice([0, 1, 5])
    if rng.random() < 0.3:
        asked["nulls"] = rng.choice(["strict", "wildcard"])
    return asked


# ---- one trial ----


def judged(sample: Sample, text: str, asked: dict[str, Any]) -> tuple[str, Any]:
    """Verify with this manifest: "valid", "invalid", "refused",
    or what is wrong with the answer.
    """
    sample.path.with_name(sample.name + ".manifest.json").write_text(
        text, encoding="utf-8", errors="surrogateescape"
    )
    try:
        found = verify(sample.path, **asked)
        json.dumps(found.to_dict(), allow_nan=False)
    except RatingPrivError as error:
        return (
            ("refused", None)
            if error.exit_code == 2 and str(error)
            else (f"exit {error.exit_code}", None)
        )
    except Exception:
        return "unexpected: " + traceback.format_exc(limit=-3), None
    if not found.valid:
        return "invalid", found
    claim = found.manifest
    target = {
        name: getattr(claim.target, name)
        for name in ("k", "epsilon", "l", "nulls", "sensitive_nulls")
    }
    if not holds(sample, claim.read.options.sensitive, claim.read.options.scale, **target):
        return "wrong VALID of the claim", found
    if asked:
        needed = {"nulls": "strict", "sensitive_nulls": "paper", "l": None} | asked
        sensitive = needed.pop("sensitive", ())
        if needed["l"] is None and sensitive:
            needed["l"] = claim.target.l
        if not holds(sample, sensitive, None, **needed):
            return "wrong VALID of the demand", found
    return "valid", found


def trial(sample: Sample, text: str, asked: dict[str, Any], *, forge: bool) -> str:
    for _ in range(3 if forge else 0):
        answer, found = judged(sample, text, {})
        if answer != "invalid" or found.audit is None:
            break
        text = forged(text, sample, found)
    return judged(sample, text, asked)[0]


@functools.cache
def released() -> list[Sample]:
    """Return the releases, in a folder that lives as long as this process."""
    released.folder = tempfile.TemporaryDirectory()  # type: ignore[attr-defined]
    return samples(Path(released.folder.name))  # type: ignore[attr-defined]


def attempt(rng: random.Random) -> Counter[str]:
    ends: Counter[str] = Counter()
    for _ in range(EDITS):
        sample = rng.choice(released())
        text, asked, forge = edited(rng, sample), demands(rng, sample), rng.random() < 0.7
        answer = trial(sample, text, asked, forge=forge)
        if answer not in ("valid", "invalid", "refused"):
            raise AssertionError(f"{answer} for {sample.name}, {asked}, forged on {forge}: {text}")
        ends[answer] += 1
    return ends
