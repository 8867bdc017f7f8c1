"""Edited certificates: none is called right that the csv module and fractions do not find right.

``make fuzz N=100000 KINDS=certificates``.
One attempt is one table and its certificate, edited in many ways.
"""

import contextlib
import copy
import hashlib
import json
import random
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from naive.written import Written, grouped

import ratingpriv
from fuzz import mutations
from fuzz.tables import small_file
from ratingpriv.base.errors import DataError
from ratingpriv.partition.certificate import certificate
from ratingpriv.partition.certificate_check import check_certificate
from ratingpriv.partition.partitioning import partition

__all__ = ["attempt"]

EDITS = 40
"""How many edited certificates one attempt checks."""

_PARAMETERS = ("k", "epsilon", "l", "nulls", "sensitive_nulls")


def attempt(rng: random.Random) -> Counter[str]:
    """Return how the checks of edited certificates ended; none is called right that is not."""
    text, sensitive = small_file(rng)
    Path("table.csv").write_text(text, encoding="utf-8")
    data, sha256 = Written.of(text), hashlib.sha256(text.encode()).hexdigest()
    table = ratingpriv.read(
        "table.csv", format="delimited", layout="wide", id="id", sensitive=sensitive
    )
    found = partition(
        table, k=rng.choice((1, 2, 2, 3)), epsilon=rng.choice((0, 0.5, 1, 2)),
        l=rng.choice((None, 0, 0.5)) if sensitive else None,
        nulls=rng.choice(("strict", "wildcard")),
        sensitive_nulls=rng.choice(("paper", "ignore")),
    )  # fmt: skip
    written = certificate(found, table)
    counts: Counter[str] = Counter()
    for number in range(EDITS):
        content = (
            _edit(rng, copy.deepcopy(written), data) if number else json.dumps(written).encode()
        )
        demands = _demands(rng, bool(sensitive)) if rng.random() < 0.3 else {}
        Path("proof.json").write_bytes(content)
        try:
            check = check_certificate("proof.json", table, accept=_LITTLE, **demands)
        except DataError as error:
            said = str(error)
            assert "expected a certificate" in said, said
            assert "\n" not in said, said
            counts["refused"] += 1
            continue
        truth = right(content, data, sha256, demands)
        if check.right and not truth:
            raise AssertionError(
                f"RIGHT, wrongly, with the demands {demands}:\n{content!r}\n{text}"
            )
        counts["right" if check.right else "missed" if truth else "wrong"] += 1
    return counts


_LITTLE = ("epsilon-covers-questions", "nulls-wildcard")  # the oracle knows neither


def right(text: bytes, data: Written, sha256: str, demands: dict[str, Any]) -> bool:
    """Decide the same from the two texts alone."""
    try:
        content = json.loads(
            text, object_pairs_hook=_once, parse_float=Decimal, parse_constant=_refuse
        )
        claimed = {name: content["parameters"][name] for name in _PARAMETERS}
        if (
            content["schema"] != "ratingpriv.certificate/1"
            or content["dataset"]["sha256"] != sha256
        ):
            return False
        if type(claimed["k"]) is not int or content["dataset"]["records"] != len(data.ids):
            return False
        groups = [[data.ids.index(one) for one in group["records"]] for group in content["groups"]]
        if (
            sorted(t for group in groups for t in group) != list(range(len(data.ids)))
            or content["withheld"]
        ):
            return False
        for group, members in zip(content["groups"], groups, strict=True):
            stated = {
                name: [Fraction(end) for end in ends] for name, ends in group["ranges"].items()
            }
            if stated != _ranges(data, members):
                return False
        return all(_holds(data, groups, {**claimed, **more}) for more in ({}, demands)) and _worth(
            data, {**claimed, **demands}
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        return False


def _holds(data: Written, groups: list[list[int]], asked: dict[str, Any]) -> bool:
    k, epsilon, l = asked["k"], _fraction(asked["epsilon"]), asked["l"]  # noqa: E741
    if k < 1 or epsilon < 0 or asked["nulls"] not in ("strict", "wildcard"):
        return False
    if asked["sensitive_nulls"] not in ("paper", "ignore") or (l is not None and _fraction(l) < 0):
        return False
    if l is not None and not data.sensitive[0]:
        return False
    l = None if l is None else _fraction(l)  # noqa: E741
    return grouped(
        data, groups, k, epsilon, l, asked["nulls"], asked["sensitive_nulls"], data.largest()
    )


def _worth(data: Written, asked: dict[str, Any]) -> bool:
    """Whether it protects anybody: k of 1 asks for nothing,
    nor does an ε that all ratings are within.
    """
    known = [x for row in data.rows for x in row if x is not None]
    if known and 0 < max(known) - min(known) <= _fraction(asked["epsilon"]):
        return False
    return asked["k"] > 1 or bool(asked["l"])


def _fraction(value: Any) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise TypeError
    return Fraction(Decimal(repr(value)) if isinstance(value, float) else value)


def _ranges(data: Written, members: list[int]) -> dict[str, list[Fraction]]:
    found = {}
    for place, name in enumerate(data.names):
        known = [data.rows[t][place] for t in members if data.rows[t][place] is not None]
        if known:
            found[name] = [min(known), max(known)]
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _demands(rng: random.Random, sensitive: bool) -> dict[str, Any]:
    possible: dict[str, tuple[Any, ...]] = {
        "k": (1, 2, 3, 5), "epsilon": (0.0, 0.5, 1.0, 2.0, 5.0), "nulls": ("strict", "wildcard"),
        "sensitive_nulls": ("paper", "ignore"),
    } | ({"l": (0.0, 0.1, 0.5, 1.0)} if sensitive else {})  # fmt: skip
    return {name: rng.choice(values) for name, values in possible.items() if rng.random() < 0.4}


def _edit(rng: random.Random, content: dict[str, Any], data: Written) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 3))):
        with contextlib.suppress(KeyError, TypeError, AttributeError):  # broken by an edit before
            rng.choice(_WAYS)(rng, content, data)
    text = json.dumps(content if rng.random() < 0.6 else mutations.edited(rng, content))
    way = rng.random()
    if way < 0.06:
        return mutations.bent(rng, content)
    if way < 0.09:
        text = text.replace('"k": ', f'"k": {rng.randint(1, 9)}, "k": ', 1)
    elif way < 0.12:
        new = rng.choice(
            ("1e-400", "1" + "0" * 400, "[" * 5000, "1.00000000000000000001", "1e0", "-0")
        )
        text = text.replace(rng.choice(("1", "2.0", "0.5", "[]")), new, 1)
    return text.encode("utf-8", "surrogatepass")


def _parameter(rng: random.Random, content: dict[str, Any], data: Written) -> None:
    likely: dict[str, tuple[Any, ...]] = {
        "k": (1, 2, 3, 4), "epsilon": (0, 0.5, 1, 1.0, 2, 100), "l": (None, 0, 0.5, 1, 2),
        "nulls": ("strict", "wildcard", "known"), "sensitive_nulls": ("paper", "ignore"),
    }  # fmt: skip
    name = rng.choice(_PARAMETERS)
    content["parameters"][name] = (
        rng.choice(likely[name]) if rng.random() < 0.7 else mutations.odd_json(rng)
    )


def _records(rng: random.Random, content: dict[str, Any], data: Written) -> None:
    """Move, copy, drop or invent a record."""
    lists = [group["records"] for group in content["groups"] if _is_group(group)]
    lists += [content["withheld"]] if isinstance(content.get("withheld"), list) else []
    if not lists:
        return
    one, other = rng.choice(lists), rng.choice(lists)
    if one and rng.random() < 0.9:
        record = rng.choice(one)
        if rng.random() < 0.8:
            one.remove(record)
        if rng.random() < 0.7:
            other.append(record)
    else:
        other.append(rng.choice((*data.ids, "nobody", 3, "r0\nVALID")))


def _groups(rng: random.Random, content: dict[str, Any], data: Written) -> None:
    """Merge two groups, or part one, with the ranges that they have then."""
    groups = content.get("groups")
    if not isinstance(groups, list) or not groups or not all(map(_is_group, groups)):
        return
    group = groups.pop(rng.randrange(len(groups)))
    if groups and rng.random() < 0.5:
        made = [group["records"] + groups.pop(rng.randrange(len(groups)))["records"]]
    else:
        cut = rng.randint(0, len(group["records"]))
        made = [group["records"][:cut], group["records"][cut:]]
    for records in made:
        known = [data.ids.index(one) for one in records if one in data.ids]
        ranges = {name: [float(end) for end in ends] for name, ends in _ranges(data, known).items()}
        groups.append({"records": records, "ranges": ranges})


def _is_group(group: Any) -> bool:
    return isinstance(group, dict) and isinstance(group.get("records"), list)


_WAYS = (_parameter, _parameter, _records, _groups)
