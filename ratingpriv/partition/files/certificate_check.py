"""The checker of certificates: small, in plain Python, straight from the definitions.

It reads ratings from the table and nothing else; the ranges that the certificate states are compared with
them, never relied on. Decimals are compared as the decimals that are written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from ratingpriv.errors import DataError, Problem
from ratingpriv.table import RatingTable

__all__ = ["CertificateCheck", "check_certificate"]

_SCHEMA = "ratingpriv.certificate/1"
_SHOWN = 20

type _Row = Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """What :func:`check_certificate` found.

    Attributes
    ----------
    holds : whether every group is what the certificate says
    everybody : whether every record is in a group: with ``holds``, the data is (k,ε)-anonymous, and (k,ε,l)
        by groups where l is stated
    groups, withheld : how many groups, and records in none
    problems : what is wrong, in sentences; the first few
    """

    holds: bool
    everybody: bool
    groups: int
    withheld: int
    problems: tuple[str, ...]


def check_certificate(path: str | Path, table: RatingTable) -> CertificateCheck:
    """Confirm a certificate against the data it is about.

    Checks [SWLP10, §4.3]: every record of ``table`` is in one group or among those suppressed, once; each
    group has k records, which rate the same issues (where a null separates) with a range of at most ε on
    each, and the SD that is stated [SWLZ11, Eq. 3]; the ranges are as stated.

    Raises
    ------
    DataError
        The file cannot be read or is no certificate.
    """
    content = _read(path)
    claimed = content["parameters"]
    number = _number(table)
    epsilon = number(float(claimed["epsilon"]))
    scale = None if table.scale is None else number(table.scale.maximum)
    separates = claimed["nulls"] != "wildcard" and (scale is None or scale <= 0 or epsilon < scale)
    position = {record: at for at, record in enumerate(table.record_ids.to_list())}
    problems: list[str] = []
    sha256 = content["dataset"].get("sha256")
    if sha256 is not None and table.origin.sha256 is not None and sha256 != table.origin.sha256:
        problems.append("the data has another SHA-256 than the certificate names")
    met: set[int] = set()
    for g, group in enumerate(content["groups"]):
        members = _members(group["records"], position, met, f"group {g}", problems)
        rows = [_row(table, t, number) for t in members]
        problems += _wrong(rows, group["ranges"], claimed, epsilon, separates, table, number, f"group {g}")
        problems += _uniform(members, claimed, table, f"group {g}")
    withheld = _members(content["withheld"], position, met, "withheld", problems)
    if len(met) < table.n_records:
        problems.append(f"{table.n_records - len(met)} records of the data are not in the certificate")
    return CertificateCheck(
        not problems, not withheld and len(met) == table.n_records, len(content["groups"]), len(withheld),
        tuple(problems[:_SHOWN]),
    )  # fmt: skip


def _read(path: str | Path) -> dict[str, Any]:
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        found = content["schema"]
        if found != _SCHEMA:
            raise ValueError("another schema")
        claimed = content["parameters"]
        whole = isinstance(claimed["k"], int) and float(claimed["epsilon"]) >= 0
        known = claimed["nulls"] in ("strict", "wildcard") and claimed["sensitive_nulls"] in (
            "paper",
            "ignore",
        )
        if not whole or not known or (claimed["l"] is not None and float(claimed["l"]) < 0):
            raise ValueError("parameters out of range")
        if not all(isinstance(group["records"], list) for group in content["groups"]):
            raise ValueError("groups without records")
        if not all(isinstance(group["ranges"], dict) for group in content["groups"]):
            raise ValueError("groups without ranges")
        if not isinstance(content["withheld"], list) or not isinstance(content["dataset"], dict):
            raise ValueError("no dataset, or no list of those suppressed")
    except OSError as error:
        found = error.strerror or "no readable file"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        found = f"no certificate ({type(error).__name__}: {error})"
    else:
        return dict(content)
    expected = f"a certificate ({_SCHEMA}), as ratingpriv partition --certificate writes it"
    raise DataError(Problem(file=str(path), found=found, expected=expected))


def _number(table: RatingTable) -> Any:
    """Return what turns a rating into what is compared: a fraction of its decimal, or the float64 itself."""
    decimals = [Decimal(repr(float(level))).normalize() for level in table.levels]
    places = max([0, *(-int(decimal.as_tuple().exponent) for decimal in decimals)])
    if places <= 9 and all(abs(decimal) * 10**places <= 10**15 for decimal in decimals):
        return lambda value: Fraction(Decimal(repr(float(value))))
    return float


def _row(table: RatingTable, t: int, number: Any) -> _Row:
    entries = range(int(table.indptr[t]), int(table.indptr[t + 1]))
    return {int(table.indices[e]): number(table.levels[table.codes[e]]) for e in entries}


def _members(
    records: Iterable[Any], position: Mapping[Any, int], met: set[int], where: str, problems: list[str]
) -> list[int]:
    members = []
    for number, record in enumerate(records, start=1):
        at = position.get(record) if isinstance(record, int | str) else None
        if at is None:
            problems.append(f"{where}: its record no. {number} is not in the data")
        elif at in met:
            problems.append(f"{where}: its record no. {number} is duplicated")
        else:
            met.add(at)
            members.append(at)
    return members


def _wrong(
    rows: list[_Row], stated: Mapping[str, Any], claimed: Mapping[str, Any], epsilon: Any, separates: bool,
    table: RatingTable, number: Any, where: str,
) -> list[str]:  # fmt: skip
    problems = []
    if len(rows) < claimed["k"]:
        problems.append(f"{where}: {len(rows)} records, fewer than {claimed['k']}")
    if separates and any(set(row) != set(rows[0]) for row in rows):
        problems.append(f"{where}: its records do not rate the same issues")
    ranges = {}
    for issue in sorted({issue for row in rows for issue in row}):
        ratings = [row[issue] for row in rows if issue in row]
        ranges[table.issues[issue]] = [min(ratings), max(ratings)]
        if max(ratings) - min(ratings) > epsilon:
            problems.append(f"{where}: a range of more than {claimed['epsilon']:g} on {table.issues[issue]}")
    try:
        same = {issue: [number(end) for end in ends] for issue, ends in stated.items()} == ranges
    except (TypeError, ValueError):
        same = False
    if not same:
        problems.append(f"{where}: the ranges stated are not those of the data")
    return problems


def _uniform(members: list[int], claimed: Mapping[str, Any], table: RatingTable, where: str) -> list[str]:
    """Compare SD² with l² in fractions [SWLZ11, Eq. 3]; a null counts mean², or nothing."""
    if claimed["l"] is None or not members:
        return []
    if not table.sensitive:
        return [f"{where}: l is stated, but no issue of the data is sensitive"]
    problems = []
    needed = Fraction(Decimal(repr(float(claimed["l"])))) ** 2
    for column in table.sensitive:
        known = [Fraction(Decimal(repr(float(column.values[t])))) for t in members if column.present[t]]
        if not known:
            continue
        mean = sum(known) / len(known)
        spread = sum((value - mean) ** 2 for value in known)
        if claimed["sensitive_nulls"] == "ignore":
            variance = spread / len(known)
        else:
            variance = (spread + (len(members) - len(known)) * mean**2) / len(members)
        if variance < needed:
            problems.append(f"{where}: an SD below {claimed['l']:g} on {column.name}")
    return problems
